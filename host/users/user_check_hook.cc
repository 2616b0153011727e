// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_check_hook.h"

#include <functional>
#include <string>

namespace drover {

Co<Result<PrestartResponse>> UserCheckHook::Prestart(Context, PrestartRequest request) {
  PrestartResponse response;
  // The user that was checked is the one that the driver gets: no variable that a later hook adds
  // can change it.
  if (request.task->user.find("${") != std::string::npos) response.user = request.user;
  if (request.running) co_return response;
  if (request.user.empty()) {
    if (gets_one_) co_return response;
    // Otherwise a variable that a later hook adds would name a user that nobody has checked.
    co_return Error(Code::kInvalidArgument,
                    "user \"" + request.task->user +
                        "\" is empty after its variables are replaced: name a user, or remove the "
                        "field");
  }
  const bool in_image = request.driver.fs_isolation == FsIsolation::kImage;
  std::function<Status()> check = [rules = rules_, driver = request.task->driver,
                                   user = request.user, in_image] {
    return CheckUser(*rules, driver, user, in_image, FindSystemUser);
  };
  if (pool_ == nullptr) {
    DROVER_CO_TRY(check());
  } else {
    DROVER_CO_TRY(co_await pool_->Run(std::move(check)));
  }
  co_return response;
}

}  // namespace drover
