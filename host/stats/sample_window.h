// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "host/base/time.h"

namespace drover {

// Statistics of values, such as durations, in the last whole window of ten seconds. [any thread]
class SampleWindow {
 public:
  static constexpr Duration kLength = std::chrono::seconds(10);

  struct Summary {
    std::uint64_t count = 0;  // 0: no values; all other fields are then 0
    double sum = 0;
    double sum_of_squares = 0;
    double least = 0;
    double most = 0;

    double Mean() const;
    double Deviation() const;  // the sample standard deviation
  };

  void Add(TimePoint now, double value);
  Summary Look(TimePoint now) const;

 private:
  static std::int64_t NumberOf(TimePoint now) { return now.time_since_epoch() / kLength; }

  mutable std::mutex mutex_;
  std::int64_t number_ = 0;  // the number of the current window
  Summary current_;
  Summary last_;  // the summary of the window before the current window
};

}  // namespace drover
