// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/govalues/value.h"

// Times and durations as Go's package time reads and writes them.
namespace drover::templates {

struct CivilTime {
  std::int64_t year = 0;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int weekday = 0;  // 0 is Sunday
  int year_day = 1;
};
CivilTime CivilOf(const Moment& moment);
// Returns the seconds since 1970 of a time in UTC.
std::int64_t SecondsOf(const CivilTime& civil);

// Writes MOMENT in the form LAYOUT, such as "2006-01-02T15:04:05Z07:00".
std::string FormatMoment(const Moment& moment, std::string_view layout);
// Returns MOMENT as Go prints it, such as "2009-11-10 23:00:00 +0000 UTC".
std::string MomentText(const Moment& moment);
// Returns the name of a month (1 to 12) or of a day of the week (0 to 6).
std::string MonthText(std::int64_t month);
std::string WeekdayText(std::int64_t weekday);
Result<Moment> ParseMoment(std::string_view layout, std::string_view text);

// Durations are numbers of nanoseconds. Returns the moment that is BY later.
Moment Later(Moment moment, std::int64_t by);
// Returns the duration from THEN to NOW; the longest one if it is longer.
std::int64_t DurationBetween(const Moment& then, const Moment& now);
std::string DurationText(std::int64_t duration);
std::optional<std::int64_t> ParseGoDuration(std::string_view text);

}  // namespace drover::templates
