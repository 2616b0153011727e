// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "host/alloc/alloc_hook.h"
#include "host/alloc/hooks/group_shutdown_delay_hook.h"
#include "host/services/service_hook_options.h"

namespace drover {

// Registers the services of a group while its allocation runs. Before the tasks are stopped, it
// first removes the registrations and then waits for the group's shutdown_delay, in which the
// clients of the services can disconnect. Before a restart of the tasks, it does the same and
// registers them again after the delay. So nothing is left to do after the restart, and the next
// restart may come at any moment.
//
// For a group without services, only the delay is left of this.
class GroupServicesHook : public AllocHook {
 public:
  // How long the removal of registrations may hold up a stop or a restart of the tasks.
  static constexpr Duration kRemovalLimit = 5s;

  GroupServicesHook(AllocHookEnv env, const ServiceHookOptions* options)
      : env_(env), options_(options), delay_(std::move(env)) {}

  std::string_view name() const override { return "group_services"; }
  Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const override {
    return delay_.deadline(stage, request) + kRemovalLimit;
  }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Update(Context context, AllocHookRequest request) override;
  Co<Status> PreTaskRestart(Context context, AllocHookRequest request) override;
  Co<Status> Prekill(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;

 private:
  // Returns the errors of services that have no address on this node. Reports all others.
  Status Register();
  Co<Status> Deregister(Context context, AllocHookRequest request);
  // Returns when the delay of this stop or restart began: when the registrations were removed, or
  // at the latest now. Absent if an earlier agent may have removed them.
  std::optional<TimePoint> DelayBegan() const {
    if (!had_services_) return std::nullopt;
    return removed_at_.value_or(env_.loop->Now());
  }

  const AllocHookEnv env_;
  const ServiceHookOptions* const options_;
  GroupShutdownDelayHook delay_;
  std::shared_ptr<const Allocation> alloc_;  // the newest version; null before the first stage
  bool registered_ = false;                  // whether the services are registered now
  bool had_services_ = false;                // whether this agent has registered any
  // When the registrations were removed. Absent if there may be some, also of an earlier agent.
  std::optional<TimePoint> removed_at_;
};

}  // namespace drover
