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

void MetricRegistry::Sample(const std::string& name, TimePoint now, double value) {
  SampleWindow* window = nullptr;
  {
    const std::lock_guard lock(mutex_);
    window = &samples_[name];  // the address of a map's value never changes
  }
  window->Add(now, value);
}

std::map<std::string, SampleWindow::Summary> MetricRegistry::Samples(TimePoint now) const {
  std::map<std::string, SampleWindow::Summary> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, window] : samples_) out[name] = window.Look(now);
  return out;
}

}  // namespace drover
