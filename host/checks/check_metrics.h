// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/checks/check_results.h"
#include "host/stats/metric_registry.h"

namespace drover {

// Appends gauges: how many checks of this node have each status, and of each check whether it
// succeeds (1 or 0). [any thread]
void AppendCheckMetrics(const CheckResults& results, std::vector<Metric>* out);

}  // namespace drover
