// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/scheduler/state_store.h"
#include "host/stats/host_stats.h"
#include "host/stats/metric_registry.h"

// The gauges of an agent. [any thread]
namespace drover {

// Gauges of this process: memory, threads, descriptors, and numbers of objects that must not leak.
void AppendProcessMetrics(std::vector<Metric>* out);
void AppendHostMetrics(const HostStats& stats, std::vector<Metric>* out);
// Gauges of the records, of NODE_ID's allocations by client status, and of blocking queries.
void AppendStateMetrics(const StateStore& store, const std::string& node_id,
                        std::vector<Metric>* out);

}  // namespace drover
