// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/task_dir_hook.h"

namespace drover {

Co<Result<PrestartResponse>> TaskDirHook::Prestart(Context context, PrestartRequest request) {
  constexpr char kDone[] = "is_done";
  PrestartResponse response;
  response.data = request.data;
  const bool is_first = request.data.count(kDone) == 0;
  if (is_first) {
    if (const auto control = control_.lock()) {
      control->EmitEvent(TaskEvent(event_type::kTaskSetup).Message("Building Task Directory"));
    }
    response.data[kDone] = "true";
  }
  if (builder_ != nullptr) {
    TaskDirRequest dir{request.task->name, request.driver.fs_isolation, request.user};
    dir.makes_logs =
        is_first && !request.task->log_config.disabled && !request.driver.disables_log_collection;
    DROVER_CO_TRY(co_await builder_->BuildTaskDir(context, std::move(dir)));
  }
  co_return response;
}

TaskEvent TaskDirHook::FailureEvent(const Error& error) const {
  return TaskEvent(event_type::kSetupFailure)
      .With(event_key::kSetupError, "failed to build task directory: " + error.message());
}

}  // namespace drover
