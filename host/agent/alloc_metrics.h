// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/node_link/node_client.h"
#include "host/stats/metric_registry.h"

namespace drover {

// Appends gauges for each task of ALLOC that has a sample in USAGE: its allotted resources and all
// measured values. If a driver reports no memory value as measured, all memory values are
// appended. The same rule applies to the CPU values.
void AppendAllocMetrics(const Allocation& alloc, const AllocUsage& usage, std::vector<Metric>* out);

// Returns the gauges of all allocations that run on this node, from their newest samples. Does not
// wait for newer samples. Control thread only. Lets other work run from time to time.
Co<Result<std::vector<Metric>>> RunningAllocMetrics(Context context, const NodeClient* client);

}  // namespace drover
