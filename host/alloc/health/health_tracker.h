// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "host/alloc/alloc_state.h"
#include "host/base/time.h"
#include "host/spec/job.h"

namespace drover {

struct HealthVerdict {
  bool healthy = false;
  // Why the allocation is unhealthy, by task. Tasks that are not to blame are missing.
  std::map<std::string, std::string> messages;
};

// Decides whether an allocation is healthy: its tasks run, and its checks pass, for the time that
// the policy wants, before the deadline. Has no clock and no timers of its own.
class HealthTracker {
 public:
  // BEGIN is the time from which the deadline counts.
  HealthTracker(const UpdatePolicy& policy, TimePoint begin);

  // Judges the allocation at the time NOW, which is WALL on the wall clock. Returns nothing as long
  // as the allocation is neither healthy nor unhealthy. Call it after each change, and at due().
  std::optional<HealthVerdict> Judge(const AllocState& state, bool checks_pass, TimePoint now,
                                     WallTime wall);
  // When the next verdict is due although nothing changes.
  TimePoint due() const { return due_; }

 private:
  // Updates since_tasks_ and since_checks_. Returns whether everything is as it must be.
  bool Follow(const TaskGroup& group, const AllocState& state, bool checks_pass, TimePoint now,
              WallTime wall);
  HealthVerdict AtDeadline(const TaskGroup& group, const AllocState& state) const;

  const UpdatePolicy policy_;
  const TimePoint deadline_;
  TimePoint due_;
  WallTime newest_start_ = 0;              // of the tasks, when Follow saw them last
  TimePoint since_tasks_;                  // the time newest_start_ on the clock of NOW
  std::optional<TimePoint> since_checks_;  // absent while a check does not pass
};

}  // namespace drover
