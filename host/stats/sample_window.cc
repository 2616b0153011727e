// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/sample_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace drover {

double SampleWindow::Summary::Mean() const {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double SampleWindow::Summary::Deviation() const {
  if (count < 2) return 0;
  const auto n = static_cast<double>(count);
  return std::sqrt(std::max(0.0, (sum_of_squares - sum * sum / n) / (n - 1)));
}

void SampleWindow::Add(TimePoint now, double value) {
  const std::lock_guard lock(mutex_);
  if (const std::int64_t number = NumberOf(now); number != number_) {
    last_ = std::exchange(current_, {});
    if (number != number_ + 1) last_ = {};
    number_ = number;
  }
  current_.least = current_.count == 0 ? value : std::min(current_.least, value);
  current_.most = current_.count == 0 ? value : std::max(current_.most, value);
  ++current_.count;
  current_.sum += value;
  current_.sum_of_squares += value * value;
}

SampleWindow::Summary SampleWindow::Look(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  const std::int64_t number = NumberOf(now);
  if (number == number_) return last_;
  return number == number_ + 1 ? current_ : Summary();
}

}  // namespace drover
