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
  enum class Kind { kGauge, kCounter };  // the value of a counter only grows

  std::string name;  // such as "nomad.client.allocs.start"
  double value = 0;
  Kind kind = Kind::kGauge;
  std::map<std::string, std::string> labels;
};

// The counters of an agent and the sources of its gauges. Gauges are measured only when somebody
// calls Look, so they cost nothing otherwise. The agent owns this object. [any thread]
class MetricRegistry {
 public:
  // A function that appends its measurements to OUT. Each Look calls it on the caller's thread, so
  // two threads may call it at the same time.
  using Source = std::function<void(std::vector<Metric>* out)>;

  // Adds BY to the counter NAME. A counter is reported from its first Count on, even if BY was 0.
  void Count(const std::string& name, double by = 1);
  // Everything that SOURCE refers to must outlive this object.
  void AddSource(Source source);

  std::vector<Metric> Look() const;

  // Adds VALUE to the samples of NAME in the current window; see SampleWindow.
  void Sample(const std::string& name, TimePoint now, double value);
  // Returns a summary of the samples of each name in the last whole window.
  std::map<std::string, SampleWindow::Summary> Samples(TimePoint now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> counters_;
  std::vector<Source> sources_;
  std::map<std::string, SampleWindow> samples_;
};

}  // namespace drover
