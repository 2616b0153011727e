// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/group_shutdown_delay_hook.h"

namespace drover {

Duration GroupShutdownDelayHook::deadline(AllocHookStage stage,
                                          const AllocHookRequest& request) const {
  const TaskGroup* const group = request.alloc ? request.alloc->group() : nullptr;
  const Duration delay = group == nullptr ? Duration(0) : group->shutdown_delay;
  return AllocHook::deadline(stage, request) + delay;
}

Co<Status> GroupShutdownDelayHook::PreTaskRestart(Context context, AllocHookRequest request) {
  co_await Wait(context, request);
  co_return context.status();
}

Co<Status> GroupShutdownDelayHook::Prekill(Context context, AllocHookRequest request) {
  co_await Wait(context, request);
  co_return Status();
}

Co<void> GroupShutdownDelayHook::Wait(Context context, AllocHookRequest request) {
  const TaskGroup* group = request.alloc->group();
  // With no task left there is nobody whose clients could go away.
  if (group == nullptr || group->shutdown_delay <= 0s || !request.any_task_live) co_return;
  const JoinContext either(context, *env_.no_shutdown_delay);
  [[maybe_unused]] const Status status = co_await Sleep(either.context(), group->shutdown_delay);
}

}  // namespace drover
