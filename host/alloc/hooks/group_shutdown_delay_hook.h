// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/alloc/alloc_hook.h"

namespace drover {

// Waits for the group's shutdown_delay before the tasks are stopped. In this time, the clients of
// the allocation's services can disconnect. The hook must come after the hook that deregisters the
// services.
class GroupShutdownDelayHook : public AllocHook {
 public:
  explicit GroupShutdownDelayHook(AllocHookEnv env) : env_(std::move(env)) {}

  std::string_view name() const override { return "group_shutdown_delay"; }
  Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const override;
  Co<Status> PreTaskRestart(Context context, AllocHookRequest request) override;
  Co<Status> Prekill(Context context, AllocHookRequest request) override;

 private:
  Co<void> Wait(Context context, AllocHookRequest request);

  const AllocHookEnv env_;
};

}  // namespace drover
