// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/alloc/alloc_state.h"
#include "host/stats/metric_registry.h"

namespace drover {

// Counts the starts, restarts and ends of tasks on the whole node. There are no counters for
// single allocations, since their number would grow without end. Control thread only.
class TaskCounters {
 public:
  // METRICS must outlive this object.
  explicit TaskCounters(MetricRegistry* metrics);

  // BEFORE is the last known state of the allocation, or null if there is none.
  void Changed(const AllocSnapshot& before, const AllocState& now);

 private:
  void TaskChanged(const TaskStateRecord& before, const TaskStateRecord& now);

  MetricRegistry* const metrics_;
};

}  // namespace drover
