// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_check_hook.h"

#include <functional>
#include <string>

namespace drover {

Co<Result<PrestartResponse>> UserCheckHook::Prestart(Context, PrestartRequest request) {
  if (request.user.empty() || request.running) co_return PrestartResponse();
  const bool in_image = request.driver.fs_isolation == FsIsolation::kImage;
  std::function<Status()> check = [rules = rules_, driver = request.task->driver,
                                   user = request.user, in_image] {
    return CheckUser(*rules, driver, user, in_image, FindSystemUser);
  };
  DROVER_CO_TRY(co_await pool_->Run(std::move(check)));
  co_return PrestartResponse();
}

}  // namespace drover
