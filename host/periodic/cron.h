// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/periodic/time_zone.h"

namespace drover {

// A cron expression of 5 fields (minute, hour, day, month, weekday), 6 (with a year at the end) or
// 7 (with seconds first), or a name such as @daily. Fields have *, lists, ranges, steps and names.
// Days also have L, W and #: L is the last day of the month, 15W the workday nearest to the 15th,
// LW the last workday, 5L the last Friday, 5#2 the second one. If both days and weekdays are
// restricted, a day of either kind matches.
class Cron {
 public:
  // Error kInvalidArgument says which field is wrong, and how.
  static Result<Cron> Parse(std::string_view text);

  // Returns the earliest time after AFTER whose civil time in ZONE matches, in whole seconds.
  // Absent if there is none before the year 2100. So a time that the clock skips does not match on
  // that day, and one that it repeats matches twice. The longest search takes a millisecond or two.
  std::optional<WallTime> Next(WallTime after, const TimeZone& zone) const;

 private:
  Status ParseDays(std::string_view field);
  Status ParseWeekdays(std::string_view field);
  Result<bool> ParseSpecialDay(std::string_view element);
  Result<bool> ParseSpecialWeekday(std::string_view element);
  bool IsDay(std::chrono::year_month_day date) const;
  bool IsDayOfMonth(std::chrono::year_month_day date) const;
  bool IsDayOfWeek(std::chrono::year_month_day date) const;
  // Returns the first second of a day that matches and is not before SECOND.
  std::optional<int> NextOfDay(int second) const;
  // Returns the first civil time from FROM on that is before END, in seconds since 1970.
  std::optional<std::int64_t> NextCivil(std::int64_t from, std::int64_t end) const;

  std::bitset<60> seconds_, minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;    // from 1
  std::bitset<13> months_;  // from 1
  std::bitset<7> weekdays_;
  std::bitset<131> years_;  // from 1970, also the first day of 2100 in the east
  bool any_day_ = false, any_weekday_ = false;
  bool last_day_ = false, last_workday_ = false;
  std::vector<unsigned> near_days_;                           // nW
  std::vector<std::pair<unsigned, unsigned>> numbered_days_;  // d#n; dL has the number 0
};

}  // namespace drover
