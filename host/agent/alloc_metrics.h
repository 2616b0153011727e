// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/agent/node_client.h"
#include "host/stats/metric_registry.h"

namespace drover {

// The gauges of one allocation: what each of its tasks was allotted and, of the tasks that USAGE
// has, what was measured. A driver that does not say what it measures has measured all.
void AppendAllocMetrics(const Allocation& alloc, const AllocUsage& usage, std::vector<Metric>* out);

// Those of all allocations that run here, with the newest samples; it waits for none. Control
// thread; lets others run in between.
Co<Result<std::vector<Metric>>> RunningAllocMetrics(Context context, const NodeClient* client);

}  // namespace drover
