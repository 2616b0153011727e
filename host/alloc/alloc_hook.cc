// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_hook.h"

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

Co<Status> AllocHook::Prerun(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Update(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::PreTaskRestart(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Postrun(Context, AllocHookRequest) { co_return Status(); }
Co<Status> AllocHook::Destroy(Context, AllocHookRequest) { co_return Status(); }
Co<void> AllocHook::Prekill(Context, AllocHookRequest) { co_return; }
Co<void> AllocHook::Shutdown(Context, AllocHookRequest) { co_return; }

Co<Status> AllocHookChain::Call(AllocHook* hook, AllocHookStage stage, Context context,
                                AllocHookRequest request) {
  switch (stage) {
    case AllocHookStage::kPrerun:
      co_return co_await hook->Prerun(context, request);
    case AllocHookStage::kUpdate:
      co_return co_await hook->Update(context, request);
    case AllocHookStage::kPreTaskRestart:
      co_return co_await hook->PreTaskRestart(context, request);
    case AllocHookStage::kPostrun:
      co_return co_await hook->Postrun(context, request);
    case AllocHookStage::kDestroy:
      co_return co_await hook->Destroy(context, request);
    case AllocHookStage::kPrekill:
      co_await hook->Prekill(context, request);
      break;
    case AllocHookStage::kShutdown:
      co_await hook->Shutdown(context, request);
      break;
  }
  co_return Status();
}

Co<Status> AllocHookChain::Run(AllocHookStage stage, Context context, AllocHookRequest request) {
  std::vector<Error> errors;
  for (const auto& hook : hooks_) {
    const Status status = co_await Call(hook.get(), stage, context, request);
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
