// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;  // NOLINT: the units are part of the vocabulary

// The clock for deadlines and delays, CLOCK_BOOTTIME. It continues while the machine sleeps, and
// it never jumps. Records that people read contain WallTime instead.
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

// Returns a time such as "2026-11-22T08:15:30.123456789Z". Returns the zero time of Go if TIME is
// 0.
std::string Rfc3339(WallTime time);

// Reads a time in the form that Rfc3339 returns. The fraction may have up to nine digits or be
// absent, and an offset such as "+02:00" may stand for "Z". The zero time of Go gives 0. Other
// years must be between 1970 and 2261.
Result<WallTime> ParseRfc3339(std::string_view text);

// Returns DURATION in the form of Go: "0s", "1.5s", "250ms", "1m30s", "2h0m0s".
std::string FormatDuration(Duration duration);

// Reads a duration in the form that FormatDuration returns. A number needs a unit ("10" is an
// error), except for "0". A sign is allowed. An empty text is an error.
Result<Duration> ParseDuration(std::string_view text);

}  // namespace drover
