// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/task_dir_hook.h"

namespace drover {

Co<Result<PrestartResponse>> TaskDirHook::Prestart(Context context, PrestartRequest request) {
  constexpr char kDone[] = "is_done";
  PrestartResponse response;
  response.data = request.data;
  if (request.data.count(kDone) == 0) {
    if (const auto control = control_.lock()) {
      control->EmitEvent(TaskEvent(event_type::kTaskSetup).Message("Building Task Directory"));
    }
    response.data[kDone] = "true";
  }
  if (builder_ != nullptr) {
    const FsIsolation isolation = request.driver.fs_isolation;
    DROVER_CO_TRY(co_await builder_->BuildTaskDir(context, request.task->name, isolation));
  }
  co_return response;
}

TaskEvent TaskDirHook::FailureEvent(const Error& error) const {
  return TaskEvent(event_type::kSetupFailure)
      .With(event_key::kSetupError, "failed to build task directory: " + error.message());
}

}  // namespace drover
