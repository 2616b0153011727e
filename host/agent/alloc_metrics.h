// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/agent/node_client.h"
#include "host/stats/metric_registry.h"

namespace drover {

// The gauges of the tasks of one allocation that USAGE has: their allotted resources and all
// measured values. A driver that does not say which values it measures has measured all.
void AppendAllocMetrics(const Allocation& alloc, const AllocUsage& usage, std::vector<Metric>* out);

// The gauges of all allocations that run here, from the newest samples; does not wait for newer
// ones. Control thread; lets other work run in between.
Co<Result<std::vector<Metric>>> RunningAllocMetrics(Context context, const NodeClient* client);

}  // namespace drover
