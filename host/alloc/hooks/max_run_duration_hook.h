// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/alloc/alloc_hook.h"

namespace drover {

// Ends an allocation that is older than its group's max_run_duration. Its age counts from its
// creation, not from the start of its tasks.
class MaxRunDurationHook : public AllocHook {
 public:
  explicit MaxRunDurationHook(AllocHookEnv env) : env_(std::move(env)) {}
  ~MaxRunDurationHook() override { Disarm(); }

  std::string_view name() const override { return "max_run_duration"; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Update(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  Co<Status> Shutdown(Context context, AllocHookRequest request) override;

 private:
  // Sets the timer, unless it is already set for the same duration.
  void Arm(const Allocation& alloc);
  void Disarm();

  const AllocHookEnv env_;
  std::optional<TimePoint> created_;
  std::optional<Duration> armed_for_;
  Loop::TimerId timer_ = 0;
};

}  // namespace drover
