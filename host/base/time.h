// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;  // NOLINT: the units are part of the vocabulary

// A point of CLOCK_BOOTTIME, which continues while the machine sleeps and never jumps. For
// deadlines and delays. Records that people read contain WallTime.
struct BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now();
};
using TimePoint = BootClock::time_point;

// Nanoseconds since 1970-01-01 UTC; 0 means "not yet".
using WallTime = std::int64_t;
WallTime WallNow();

// Go's text of a duration: "0s", "1.5s", "250ms", "1m30s", "2h0m0s".
std::string FormatDuration(Duration duration);

// Reads such a text. The unit is required ("10" is an error) and a sign is allowed. An empty text
// is an error.
Result<Duration> ParseDuration(std::string_view text);

}  // namespace drover
