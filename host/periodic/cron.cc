// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/cron.h"

#include <algorithm>
#include <array>
#include <string>

#include "host/base/text.h"
#include "host/periodic/cron_field.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::weekday;
using std::chrono::year_month_day;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kEnd = 4'102'444'800;  // 2100-01-01 UTC
constexpr std::size_t kMostText = 256;
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2099;

constexpr std::string_view kMonthNames[] = {"january",   "february", "march",    "april",
                                            "may",       "june",     "july",     "august",
                                            "september", "october",  "november", "december"};
constexpr std::string_view kDayNames[] = {"sunday",   "monday", "tuesday", "wednesday",
                                          "thursday", "friday", "saturday"};

constexpr CronFieldKind kSeconds{.name = "seconds"};
constexpr CronFieldKind kMinutes{.name = "minutes"};
constexpr CronFieldKind kHours{.name = "hours", .last = 23};
constexpr CronFieldKind kDays{.name = "days", .first = 1, .last = 31};
constexpr CronFieldKind kMonths{.name = "months", .first = 1, .last = 12, .names = kMonthNames};
constexpr CronFieldKind kWeekdays{.name = "weekdays", .last = 6, .also = 7, .names = kDayNames};
constexpr CronFieldKind kYears{.name = "years", .first = kFirstYear, .last = kLastYear};

struct NamedCron {
  std::string_view name;
  std::string_view text;
};
constexpr NamedCron kNamed[] = {{"@annually", "0 0 1 1 *"}, {"@yearly", "0 0 1 1 *"},
                                {"@monthly", "0 0 1 * *"},  {"@weekly", "0 0 * * 0"},
                                {"@daily", "0 0 * * *"},    {"@hourly", "0 * * * *"}};

Error WrongCron(const std::string& what) { return Error(Code::kInvalidArgument, what); }

std::vector<std::string_view> FieldsOf(std::string_view text) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return fields;
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

bool IsAny(std::string_view field) { return field == "*" || field == "?"; }

unsigned LastDayOf(year_month_day date) {
  return static_cast<unsigned>((date.year() / date.month() / std::chrono::last).day());
}

// Returns the workday of the month of DATE that is nearest to its day DAY; 0 if the month has no
// such day.
unsigned WorkdayNear(year_month_day date, unsigned day) {
  const unsigned last = LastDayOf(date);
  if (day > last) return 0;
  const weekday of(sys_days(date.year() / date.month() / day));
  if (of == std::chrono::Saturday) return day > 1 ? day - 1 : day + 2;
  if (of == std::chrono::Sunday) return day < last ? day + 1 : day - 2;
  return day;
}

// Returns the next bit that is set, from FROM on; the size of BITS if there is none.
template <std::size_t N>
int NextBit(const std::bitset<N>& bits, int from) {
  while (from < static_cast<int>(N) && !bits[static_cast<std::size_t>(from)]) ++from;
  return from;
}

// Reads an unsigned number within LEAST and MOST.
std::optional<unsigned> NumberIn(std::string_view text, unsigned least, unsigned most) {
  const auto number = ParseNumber<unsigned>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace

Result<bool> Cron::ParseSpecialDay(std::string_view element) {
  if (element == "L" || element == "l") return last_day_ = true;
  if (element == "LW" || element == "lw") return last_workday_ = true;
  if (!element.ends_with('W') && !element.ends_with('w')) return false;
  const auto day = NumberIn(element.substr(0, element.size() - 1), 1, 31);
  if (!day) return WrongCron("the field of days: " + Quoted(element) + " needs a day before the W");
  near_days_.push_back(*day);
  return true;
}

Result<bool> Cron::ParseSpecialWeekday(std::string_view element) {
  if (const std::size_t hash = element.find('#'); hash != std::string_view::npos) {
    DROVER_ASSIGN(const int day, ReadCronValue(element.substr(0, hash), kWeekdays));
    const auto number = NumberIn(element.substr(hash + 1), 1, 5);
    if (!number) {
      return WrongCron("the field of weekdays: " + Quoted(element) +
                       " needs a number from 1 to 5 after the #");
    }
    numbered_days_.emplace_back(static_cast<unsigned>(day % 7), *number);
    return true;
  }
  if (element.size() < 2 || (element.back() != 'L' && element.back() != 'l')) return false;
  DROVER_ASSIGN(const int day, ReadCronValue(element.substr(0, element.size() - 1), kWeekdays));
  numbered_days_.emplace_back(static_cast<unsigned>(day % 7), 0U);
  return true;
}

Status Cron::ParseDays(std::string_view field) {
  any_day_ = IsAny(field);
  return ReadCronField(
      field, kDays, [this](int day) { days_.set(static_cast<std::size_t>(day)); },
      [this](std::string_view element) { return ParseSpecialDay(element); });
}

Status Cron::ParseWeekdays(std::string_view field) {
  any_weekday_ = IsAny(field);
  return ReadCronField(
      field, kWeekdays, [this](int day) { weekdays_.set(static_cast<std::size_t>(day % 7)); },
      [this](std::string_view element) { return ParseSpecialWeekday(element); });
}

Result<Cron> Cron::Parse(std::string_view text) {
  if (text.size() > kMostText) {
    return WrongCron("is longer than " + std::to_string(kMostText) + " bytes");
  }
  std::string_view plain = text;
  if (const std::size_t begin = text.find('@'); begin != std::string_view::npos) {
    const std::string_view name = Trim(text);
    const auto named = std::ranges::find(kNamed, name, &NamedCron::name);
    if (named == std::end(kNamed)) {
      return WrongCron(Quoted(name) + " is not known; write @yearly, @monthly, @weekly, @daily, " +
                       "@hourly, or the fields");
    }
    plain = named->text;
  }
  std::vector<std::string_view> fields = FieldsOf(plain);
  if (fields.size() < 5 || fields.size() > 7) {
    return WrongCron(Quoted(text) + " has " + std::to_string(fields.size()) +
                     " fields; write minute, hour, day, month and weekday, perhaps with seconds " +
                     "before them and a year behind them");
  }
  Cron cron;
  const auto into = [](auto* bits, int first = 0) {
    return [bits, first](int value) { bits->set(static_cast<std::size_t>(value - first)); };
  };
  const bool has_seconds = fields.size() == 7;
  const bool has_year = fields.size() >= 6;
  if (has_seconds) {
    DROVER_TRY(ReadCronField(fields[0], kSeconds, into(&cron.seconds_)));
    fields.erase(fields.begin());
  } else {
    cron.seconds_.set(0);
  }
  DROVER_TRY(ReadCronField(fields[0], kMinutes, into(&cron.minutes_)));
  DROVER_TRY(ReadCronField(fields[1], kHours, into(&cron.hours_)));
  DROVER_TRY(cron.ParseDays(fields[2]));
  DROVER_TRY(ReadCronField(fields[3], kMonths, into(&cron.months_)));
  DROVER_TRY(cron.ParseWeekdays(fields[4]));
  if (has_year && !IsAny(fields[5])) {
    DROVER_TRY(ReadCronField(fields[5], kYears, into(&cron.years_, kFirstYear)));
  } else {
    cron.years_.set();
  }
  return cron;
}

bool Cron::IsDayOfMonth(year_month_day date) const {
  const auto day = static_cast<unsigned>(date.day());
  if (days_[day]) return true;
  if (last_day_ && day == LastDayOf(date)) return true;
  if (last_workday_ && day == WorkdayNear(date, LastDayOf(date))) return true;
  return std::ranges::any_of(near_days_,
                             [&](unsigned near) { return day == WorkdayNear(date, near); });
}

bool Cron::IsDayOfWeek(year_month_day date) const {
  const unsigned weekday_of = weekday(sys_days(date)).c_encoding();
  if (weekdays_[weekday_of]) return true;
  const auto day = static_cast<unsigned>(date.day());
  return std::ranges::any_of(numbered_days_, [&](const auto& numbered) {
    const auto [wanted, number] = numbered;
    if (wanted != weekday_of) return false;
    return number == 0 ? day + 7 > LastDayOf(date) : (day - 1) / 7 + 1 == number;
  });
}

bool Cron::IsDay(year_month_day date) const {
  if (any_day_ && any_weekday_) return true;
  if (any_day_) return IsDayOfWeek(date);
  if (any_weekday_) return IsDayOfMonth(date);
  return IsDayOfMonth(date) || IsDayOfWeek(date);
}

std::optional<int> Cron::NextOfDay(int second) const {
  const int hour_now = second / 3600, minute_now = second / 60 % 60, second_now = second % 60;
  for (int hour = NextBit(hours_, hour_now); hour < 24; hour = NextBit(hours_, hour + 1)) {
    const int from_minute = hour == hour_now ? minute_now : 0;
    for (int minute = NextBit(minutes_, from_minute); minute < 60;
         minute = NextBit(minutes_, minute + 1)) {
      const bool is_now = hour == hour_now && minute == minute_now;
      const int found = NextBit(seconds_, is_now ? second_now : 0);
      if (found < 60) return hour * 3600 + minute * 60 + found;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> Cron::NextCivil(std::int64_t from, std::int64_t end) const {
  sys_days day = std::chrono::floor<days>(std::chrono::sys_seconds(std::chrono::seconds(from)));
  auto second = static_cast<int>(from - day.time_since_epoch().count() * kDay);
  while (day.time_since_epoch().count() * kDay < end) {
    const year_month_day date(day);
    const int year = static_cast<int>(date.year());
    sys_days next = day + days(1);
    if (year < kFirstYear || !years_[static_cast<std::size_t>(year - kFirstYear)]) {
      next = sys_days(std::chrono::year(year + 1) / std::chrono::January / 1);
    } else if (!months_[static_cast<unsigned>(date.month())]) {
      next = sys_days(date.year() / date.month() / 1 + std::chrono::months(1));
    } else if (IsDay(date)) {
      if (const auto found = NextOfDay(second)) {
        const std::int64_t civil = day.time_since_epoch().count() * kDay + *found;
        return civil < end ? std::optional(civil) : std::nullopt;
      }
    }
    day = next;
    second = 0;
  }
  return std::nullopt;
}

std::optional<WallTime> Cron::Next(WallTime after, const TimeZone& zone) const {
  std::int64_t second = std::max<WallTime>(after, 0) / kSecond + 1;
  while (second < kEnd) {
    const std::int64_t end = std::min(zone.NextChange(second), kEnd);
    const std::int32_t offset = zone.OffsetAt(second);
    if (const auto civil = NextCivil(second + offset, end + offset)) {
      return (*civil - offset) * kSecond;
    }
    second = end;
  }
  return std::nullopt;
}

}  // namespace drover
