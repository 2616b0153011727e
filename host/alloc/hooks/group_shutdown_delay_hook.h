// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/alloc/alloc_hook.h"

namespace drover {

// Waits for the group's shutdown_delay before the tasks are stopped. In this time, the clients of
// the allocation's services can disconnect. A hook that deregisters services uses this hook
// instead of leaving the delay to the runner, since it registers them again after the delay of a
// restart. See LocalAllocEnv::waits_shutdown_delay.
class GroupShutdownDelayHook : public AllocHook {
 public:
  explicit GroupShutdownDelayHook(AllocHookEnv env) : env_(std::move(env)) {}

  std::string_view name() const override { return "group_shutdown_delay"; }
  Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const override;
  Co<Status> PreTaskRestart(Context context, AllocHookRequest request) override;
  Co<Status> Prekill(Context context, AllocHookRequest request) override;

  // Waits for the delay, for hooks that do more before it or after it. If the delay began at SINCE,
  // waits for the rest of it. Otherwise a delay that an earlier agent began counts from the request
  // to stop.
  Co<void> Wait(Context context, AllocHookRequest request,
                std::optional<TimePoint> since = std::nullopt);

 private:
  const AllocHookEnv env_;
};

}  // namespace drover
