// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "host/stats/sample_window.h"

namespace drover {

// One value that operators watch. Name and labels together are unique.
struct Metric {
  enum class Kind { kGauge, kCounter };  // a counter only grows

  std::string name;  // "nomad.client.allocs.start"
  double value = 0;
  Kind kind = Kind::kGauge;
  std::map<std::string, std::string> labels;
};

// The counters of an agent and the sources of its gauges. Gauges are measured only when somebody
// looks, so they cost nothing otherwise. Owned by the agent. [any thread]
class MetricRegistry {
 public:
  // Appends its measurements. Called on each thread that looks, also by two threads at once.
  using Source = std::function<void(std::vector<Metric>* out)>;

  // Adds BY to a counter. A counter is reported from its first Count on, even if that adds 0.
  void Count(const std::string& name, double by = 1);
  // The source must outlive this.
  void AddSource(Source source);

  std::vector<Metric> Look() const;

  // Adds a value to the samples of the current window; see SampleWindow.
  void Sample(const std::string& name, TimePoint now, double value);
  // By name: the samples of the last whole window.
  std::map<std::string, SampleWindow::Summary> Samples(TimePoint now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> counters_;
  std::vector<Source> sources_;
  std::map<std::string, SampleWindow> samples_;
};

}  // namespace drover
