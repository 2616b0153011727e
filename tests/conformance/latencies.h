// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "host/base/time.h"

namespace drover {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kSanitizerFactor = 4;
#else
constexpr int kSanitizerFactor = 1;
#endif

// The times of one repeated action.
class Latencies {
 public:
  void Add(Duration took) { took_.push_back(took); }
  void Add(const Latencies& other) {
    took_.insert(took_.end(), other.took_.begin(), other.took_.end());
  }
  std::size_t size() const { return took_.size(); }
  // A caller that begins at a random moment waits at most this time, with a chance of PERCENT. So a
  // long wait counts for as long as it takes. 100: the longest of all.
  Duration Percent(int percent) const {
    std::vector<Duration> sorted = took_;
    std::sort(sorted.begin(), sorted.end());
    const Duration all = std::accumulate(sorted.begin(), sorted.end(), Duration(0));
    Duration sum{0};
    for (const Duration took : sorted) {
      sum += took;
      if (100 * sum >= percent * all) return took;
    }
    return Duration(0);  // nothing was measured
  }

 private:
  std::vector<Duration> took_;
};

}  // namespace drover
