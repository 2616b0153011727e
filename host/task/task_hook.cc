// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_hook.h"

#include <utility>

namespace drover {

std::string_view HookStageName(HookStage stage) {
  switch (stage) {
    case HookStage::kPrestart:
      return "prestart";
    case HookStage::kPoststart:
      return "poststart";
    case HookStage::kPrekill:
      return "pre-kill";
    case HookStage::kExited:
      return "exited";
    case HookStage::kStop:
      return "stop";
    case HookStage::kUpdate:
      return "update";
    case HookStage::kShutdown:
      return "shutdown";
  }
  return "unknown";
}

Co<Status> TaskControl::Signal(TaskEvent event, std::string signal) {
  RequestSignal(std::move(event), std::move(signal));
  co_return Status();
}

Co<Result<std::unique_ptr<TaskExecSession>>> TaskControl::Exec(Context, ExecRequest) {
  co_return Error(Code::kUnimplemented, "commands cannot run in this task");
}

Co<Status> TaskControl::SaveHookData(std::string, StringMap) { co_return Status(); }

Duration TaskHook::deadline(HookStage stage) const {
  return stage == HookStage::kShutdown ? Duration(5s) : Duration(1min);
}

Co<Result<PrestartResponse>> TaskHook::Prestart(Context, PrestartRequest) {
  co_return PrestartResponse();
}
Co<Status> TaskHook::Poststart(Context, PoststartRequest) { co_return Status(); }
Co<Status> TaskHook::Prekill(Context, HookRequest) { co_return Status(); }
Co<Status> TaskHook::Exited(Context, HookRequest) { co_return Status(); }
Co<Status> TaskHook::Stop(Context, HookRequest) { co_return Status(); }
Co<Status> TaskHook::Update(Context, HookRequest) { co_return Status(); }
Co<Status> TaskHook::Shutdown(Context, HookRequest) { co_return Status(); }

TaskEvent TaskHook::FailureEvent(const Error& error) const {
  return TaskEvent(event_type::kHookFailed).Message(std::string(name()) + ": " + error.message());
}

}  // namespace drover
