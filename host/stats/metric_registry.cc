// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/metric_registry.h"

namespace drover {

void MetricRegistry::Count(const std::string& name, double by) {
  const std::scoped_lock lock(mutex_);
  counters_[name] += by;
}

void MetricRegistry::AddSource(Source source) {
  const std::scoped_lock lock(mutex_);
  sources_.push_back(std::move(source));
}

std::vector<Metric> MetricRegistry::Look() const {
  std::vector<Metric> metrics;
  std::vector<Source> sources;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, value] : counters_) {
      metrics.push_back({name, value, Metric::Kind::kCounter, {}});
    }
    sources = sources_;
  }
  for (const Source& source : sources) source(&metrics);
  return metrics;
}

}  // namespace drover
