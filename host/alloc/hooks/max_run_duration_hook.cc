// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/max_run_duration_hook.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {

Co<Status> MaxRunDurationHook::Prerun(Context, AllocHookRequest request) {
  Arm(*request.alloc);
  co_return Status();
}

Co<Status> MaxRunDurationHook::Update(Context, AllocHookRequest request) {
  Arm(*request.alloc);
  co_return Status();
}

Co<Status> MaxRunDurationHook::Postrun(Context, AllocHookRequest) {
  Disarm();
  co_return Status();
}

Co<Status> MaxRunDurationHook::Shutdown(Context, AllocHookRequest) {
  Disarm();
  co_return Status();
}

void MaxRunDurationHook::Arm(const Allocation& alloc) {
  const TaskGroup* group = alloc.group();
  const std::optional<Duration> limit = group == nullptr ? std::nullopt : group->max_run_duration;
  if (limit == armed_for_) return;
  Disarm();
  armed_for_ = limit;
  if (!limit) return;
  // The creation time is a time of the wall clock, which is read only once. From then on, the
  // timer uses the boot clock, which nobody can set.
  if (!created_) {
    const Duration age(env_.loop->Wall() - alloc.create_time);
    created_ = env_.loop->Now() - std::max(Duration(0), age);
  }
  timer_ = env_.loop->At(*created_ + Bounded(*limit), [this] {
    timer_ = 0;
    env_.control->RequestEnd("allocation exceeded max_run_duration");
  });
}

void MaxRunDurationHook::Disarm() {
  env_.loop->Cancel(timer_);
  timer_ = 0;
  armed_for_.reset();
}

}  // namespace drover
