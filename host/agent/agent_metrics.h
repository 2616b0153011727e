// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/state/state_store.h"
#include "host/stats/host_stats.h"
#include "host/stats/metric_registry.h"

// Functions that append the gauges of an agent. [any thread]
namespace drover {

// The counter of allocations that had to make room for others.
inline constexpr char kPreemptions[] = "drover.scheduler.preemptions";

// Appends gauges of this process: its memory, threads and file descriptors, and the numbers of
// live objects that must not leak.
void AppendProcessMetrics(std::vector<Metric>* out);
void AppendHostMetrics(const HostStats& stats, std::vector<Metric>* out);
// Appends the numbers of records and of blocking queries, and the numbers of NODE_ID's allocations
// by client status.
void AppendStateMetrics(const StateStore& store, const std::string& node_id,
                        std::vector<Metric>* out);

}  // namespace drover
