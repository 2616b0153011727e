// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_hook.h"

#include "host/base/patience.h"
#include "host/task/interruptible.h"

namespace drover {

std::string_view AllocHookStageName(AllocHookStage stage) {
  switch (stage) {
    case AllocHookStage::kPrerun:
      return "pre-run";
    case AllocHookStage::kUpdate:
      return "update";
    case AllocHookStage::kPreTaskRestart:
      return "pre-task-restart";
    case AllocHookStage::kPrekill:
      return "pre-kill";
    case AllocHookStage::kPostrun:
      return "post-run";
    case AllocHookStage::kDestroy:
      return "destroy";
    case AllocHookStage::kShutdown:
      return "shutdown";
  }
  return "unknown";
}

Duration AllocHook::deadline(AllocHookStage stage, const AllocHookRequest&) const {
  return stage == AllocHookStage::kShutdown ? Duration(5s) : Duration(1min);
}

void AllocHook::Restore(const AllocHookRequest&) {}
Co<Status> AllocHook::Prerun(Context, AllocHookRequest) { co_return Status(); }
Co<Result<std::unique_ptr<TaskExecSession>>> AllocControl::Exec(Context, std::string, ExecRequest) {
  co_return Error(Code::kUnimplemented, "this allocation runs no commands");
}

Co<Status> AllocHook::Update(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::PreTaskRestart(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Postrun(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Destroy(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Prekill(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Shutdown(Context, AllocHookRequest) { co_return Status(); }

Co<Status> AllocHookChain::Call(AllocHook* hook, AllocHookStage stage, Context context,
                                AllocHookRequest request) {
  switch (stage) {
    case AllocHookStage::kPrerun:
      return hook->Prerun(context, std::move(request));
    case AllocHookStage::kUpdate:
      return hook->Update(context, std::move(request));
    case AllocHookStage::kPreTaskRestart:
      return hook->PreTaskRestart(context, std::move(request));
    case AllocHookStage::kPostrun:
      return hook->Postrun(context, std::move(request));
    case AllocHookStage::kDestroy:
      return hook->Destroy(context, std::move(request));
    case AllocHookStage::kPrekill:
      return hook->Prekill(context, std::move(request));
    default:
      return hook->Shutdown(context, std::move(request));
  }
}

void AllocHookChain::Restore(const AllocHookRequest& request) {
  for (const auto& hook : hooks_) hook->Restore(request);
}

Co<Status> AllocHookChain::Run(AllocHookStage stage, Context context, AllocHookRequest request) {
  std::vector<Error> errors;
  for (const auto& hook : hooks_) {
    if (newest_) request.alloc = newest_();
    const Duration deadline = hook->deadline(stage, request);
    const Patience patience(context, deadline);
    const Context limited = patience.context();
    Co<Status> body = Call(hook.get(), stage, limited, request);
    const Status status = co_await Interruptible(limited, hook, deadline, std::move(body));
    if (status.ok()) continue;
    const Error& error = status.error();
    errors.emplace_back(error.code(),
                        std::string(AllocHookStageName(stage)) + " hook \"" +
                            std::string(hook->name()) + "\" failed: " + error.message(),
                        error.recoverable());
    if (stage == AllocHookStage::kPrerun) break;
  }
  co_return JoinErrors(std::move(errors));
}

Status JoinErrors(std::vector<Error> errors) {
  if (errors.empty()) return {};
  if (errors.size() == 1) return std::move(errors.front());
  std::string text = std::to_string(errors.size()) + " errors occurred: ";
  for (const Error& error : errors) {
    if (&error != &errors.front()) text += "; ";
    text += error.message();
  }
  return Error(errors.front().code(), std::move(text));
}

}  // namespace drover
