// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/group_shutdown_delay_hook.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {

Duration GroupShutdownDelayHook::deadline(AllocHookStage stage,
                                          const AllocHookRequest& request) const {
  const TaskGroup* const group = request.alloc ? request.alloc->group() : nullptr;
  const Duration delay = group == nullptr ? Duration(0) : Bounded(group->shutdown_delay);
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

Co<void> GroupShutdownDelayHook::Wait(Context context, AllocHookRequest request,
                                      std::optional<TimePoint> since) {
  const TaskGroup* group = request.alloc->group();
  // Without a live task, there are no clients to wait for.
  if (group == nullptr || group->shutdown_delay <= 0s || !request.any_task_live) co_return;
  Duration left = Bounded(group->shutdown_delay);
  if (since) {
    left -= env_.loop->Now() - *since;
  } else if (request.alloc->server_terminal() && request.alloc->modify_time != 0) {
    // If an earlier agent began this stop, the hook only waits for the rest of the delay. The wall
    // clock may have been set since then, so the wait is never longer than the whole delay.
    const Duration passed(env_.loop->Wall() - request.alloc->modify_time);
    left -= std::clamp(passed, Duration(0), left);
  }
  if (left <= 0s) co_return;
  const JoinContext either(context, *env_.no_shutdown_delay);
  [[maybe_unused]] const Status status = co_await Sleep(either.context(), left);
}

}  // namespace drover
