// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/scheduler/state_store.h"
#include "host/stats/host_stats.h"
#include "host/stats/metric_registry.h"

// The gauges of an agent. [any thread]
namespace drover {

// Of this process: memory, threads, descriptors, and how many there are of what must not leak.
void AppendProcessMetrics(std::vector<Metric>* out);
void AppendHostMetrics(const HostStats& stats, std::vector<Metric>* out);
// Of the records, of NODE_ID's allocations by client status, and of those who wait for changes.
void AppendStateMetrics(const StateStore& store, const std::string& node_id,
                        std::vector<Metric>* out);

}  // namespace drover
