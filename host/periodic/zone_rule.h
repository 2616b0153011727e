// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"

namespace drover {

// As a point in time, in seconds: there is no further change of the clock.
inline constexpr std::int64_t kNoChange = std::numeric_limits<std::int64_t>::max();

// The rule by which a time zone changes its clock each year, as POSIX and RFC 8536 write it:
// "CET-1CEST,M3.5.0,M10.5.0/3". Offsets are seconds east of UTC.
class ZoneRule {
 public:
  // Reads a rule. A zone without summer time has only a name and an offset: "JST-9".
  static Result<ZoneRule> Parse(std::string_view text);

  // Returns the offset at SECOND, in seconds since 1970.
  std::int32_t OffsetAt(std::int64_t second) const;
  // Returns the first change of the clock after SECOND, or kNoChange.
  std::int64_t NextChange(std::int64_t second) const;

 private:
  // A day of each year, and the time of that day at which the clock changes.
  struct Day {
    enum class Kind { kNoLeapDay, kOfYear, kOfMonth };  // Jn, n and Mm.w.d
    Kind kind = Kind::kOfMonth;
    int day = 0;  // of the year: from 1 without February 29, or from 0
    int month = 1, week = 1, weekday = 0;
    std::int32_t time = 2 * 3600;  // in seconds; may be negative, or beyond the day
  };
  class Reader;
  using Changes = std::vector<std::pair<std::int64_t, std::int32_t>>;

  // Returns the days since 1970 of DAY in YEAR.
  static std::int64_t DaysOf(const Day& day, int year);
  // Returns the changes around SECOND, each with its point in time and the offset from then on.
  Changes ChangesAround(std::int64_t second) const;

  std::int32_t offset_ = 0;
  bool has_summer_ = false;
  std::int32_t summer_offset_ = 0;
  Day begin_, end_;  // of the summer time
};

}  // namespace drover
