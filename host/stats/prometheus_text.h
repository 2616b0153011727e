// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/stats/metric_registry.h"

namespace drover {

inline constexpr std::string_view kPrometheusType = "text/plain; version=0.0.4; charset=utf-8";

// Returns the metrics in the text format of Prometheus. A character that a name may not contain
// becomes "_". All values of one name follow each other.
std::string PrometheusText(std::vector<Metric> metrics);

}  // namespace drover
