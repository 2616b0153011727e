// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/alloc/alloc_state.h"
#include "host/stats/metric_registry.h"

namespace drover {

// Makes counters of what becomes of tasks. They are of the whole node: labels of allocations would
// make them grow without end. Control thread only.
class TaskCounters {
 public:
  // METRICS outlives this.
  explicit TaskCounters(MetricRegistry* metrics);

  // BEFORE is what was known of the allocation; null: nothing.
  void Changed(const AllocSnapshot& before, const AllocState& now);

 private:
  void TaskChanged(const TaskStateRecord& before, const TaskStateRecord& now);

  MetricRegistry* const metrics_;
};

}  // namespace drover
