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

// The counters of an agent, and who to ask for its gauges: they are measured when somebody looks,
// so they cost nothing while nobody does. Owned by the agent. [any thread]
class MetricRegistry {
 public:
  // Appends what it measures. Called on the thread of whoever looks, and may be called twice at the
  // same time.
  using Source = std::function<void(std::vector<Metric>* out)>;

  // Adds BY to a counter. A counter is told from its first Count on, be it of 0.
  void Count(const std::string& name, double by = 1);
  // The source outlives this.
  void AddSource(Source source);

  std::vector<Metric> Look() const;

  // Adds a value to those of the last seconds; see SampleWindow.
  void Sample(const std::string& name, TimePoint now, double value);
  // Of each name that has had one, what there was in the last whole window.
  std::map<std::string, SampleWindow::Summary> Samples(TimePoint now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> counters_;
  std::vector<Source> sources_;
  std::map<std::string, SampleWindow> samples_;
};

}  // namespace drover
