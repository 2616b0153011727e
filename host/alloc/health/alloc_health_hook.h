// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/alloc/alloc_hook.h"
#include "host/alloc/alloc_runner.h"
#include "host/alloc/health/check_states.h"
#include "host/alloc/health/health_tracker.h"

namespace drover {

// Watches an allocation of a service or system job until it is healthy or unhealthy, and sets its
// health then. An allocation that has to stop before gets no health. The update block of the group
// says when it is healthy, and the migrate block for one that replaces another one outside of a
// deployment. Does nothing if the update block leaves the verdict to people. Only in a deployment,
// tasks get events that say why the allocation is unhealthy.
class AllocHealthHook : public AllocHook, private AllocObserver {
 public:
  // CHECKS may be null: no checks decide. It must outlive the hook.
  AllocHealthHook(AllocHookEnv env, CheckStates* checks) : env_(std::move(env)), checks_(checks) {}
  ~AllocHealthHook() override;

  std::string_view name() const override { return "alloc_health"; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  // Begins anew, with the changed update block, unless the allocation has its health already. It
  // loses its health when it gets into another deployment.
  Co<Status> Update(Context context, AllocHookRequest request) override;
  // Gives the verdict if the tasks themselves are the reason for the end. Otherwise gives none.
  Co<Status> Prekill(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  Co<Status> Shutdown(Context context, AllocHookRequest request) override;

 private:
  void OnAllocState(const AllocSnapshot& state) override;
  void Begin(const Allocation& alloc);
  void Stop();
  void Wake(TimePoint at);
  void Look();

  const AllocHookEnv env_;
  CheckStates* const checks_;
  std::optional<HealthTracker> tracker_;  // absent while nothing is watched
  std::string deployment_id_;             // for which tracker_ watches; empty if there is none
  bool ended_ = false;                    // the tasks are killed, have ended or are left running
  Subscription on_checks_;
  Loop::TimerId timer_ = 0;
  TimePoint timer_at_;
};

}  // namespace drover
