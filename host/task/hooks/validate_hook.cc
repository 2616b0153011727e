// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/validate_hook.h"

#include <algorithm>

namespace drover {
namespace {

bool Contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

Co<Result<PrestartResponse>> ValidateHook::Prestart(Context, PrestartRequest request) {
  if (Contains(drivers_, request.driver.name) && Contains(denied_users_, request.user)) {
    co_return Error(Code::kPermissionDenied,
                    "running as user \"" + request.user + "\" is disallowed");
  }
  PrestartResponse response;
  response.done = true;
  co_return response;
}

}  // namespace drover
