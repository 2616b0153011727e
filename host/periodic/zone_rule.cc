// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/zone_rule.h"

#include <algorithm>
#include <chrono>

namespace drover {
namespace {

constexpr std::int64_t kSecondsOfDay = 86400;
// So that the years below are those that a calendar has.
constexpr std::int64_t kFirstSecond = -62'000'000'000;
constexpr std::int64_t kLastSecond = 250'000'000'000;

std::int64_t DaysSince1970(std::chrono::sys_days day) { return day.time_since_epoch().count(); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

// Reads the parts of a rule from left to right. After the first mistake, ok() is false.
class ZoneRule::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return rest_.empty(); }
  bool IsNext(char c) const { return rest_.starts_with(c); }
  bool Skip(char c) {
    if (!IsNext(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c) { ok_ = Skip(c) && ok_; }

  // Reads a name: at least three letters, or anything in angle brackets.
  void Name() {
    std::size_t length = 0;
    if (Skip('<')) {
      length = rest_.find('>');
      ok_ = ok_ && length != std::string_view::npos && length > 0;
      if (ok_) rest_.remove_prefix(length + 1);
      return;
    }
    while (length < rest_.size() && IsLetter(rest_[length])) ++length;
    ok_ = ok_ && length >= 3;
    rest_.remove_prefix(length);
  }

  // Reads a number from LEAST to MOST.
  int Number(int least, int most) {
    int value = 0;
    std::size_t length = 0;
    for (; length < rest_.size() && IsDigit(rest_[length]) && length < 4; ++length) {
      value = value * 10 + (rest_[length] - '0');
    }
    ok_ = ok_ && length > 0 && value >= least && value <= most;
    rest_.remove_prefix(length);
    return value;
  }

  // Reads hours, and perhaps minutes and seconds, with a sign. Returns seconds.
  std::int32_t Time(int most_hours) {
    const bool negative = Skip('-');
    if (!negative) (void)Skip('+');
    std::int32_t seconds = Number(0, most_hours) * 3600;
    if (Skip(':')) seconds += Number(0, 59) * 60;
    if (Skip(':')) seconds += Number(0, 59);
    return negative ? -seconds : seconds;
  }

  Day ReadDay() {
    Day day;
    Expect(',');
    if (Skip('J')) {
      day.kind = Day::Kind::kNoLeapDay;
      day.day = Number(1, 365);
    } else if (Skip('M')) {
      day.month = Number(1, 12);
      Expect('.');
      day.week = Number(1, 5);
      Expect('.');
      day.weekday = Number(0, 6);
    } else {
      day.kind = Day::Kind::kOfYear;
      day.day = Number(0, 365);
    }
    if (Skip('/')) day.time = Time(167);
    return day;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

Result<ZoneRule> ZoneRule::Parse(std::string_view text) {
  ZoneRule rule;
  Reader in(text);
  in.Name();
  rule.offset_ = -in.Time(24);  // POSIX counts to the west
  if (in.ok() && !in.AtEnd()) {
    rule.has_summer_ = true;
    in.Name();
    rule.summer_offset_ = in.IsNext(',') ? rule.offset_ + 3600 : -in.Time(24);
    rule.begin_ = in.ReadDay();
    rule.end_ = in.ReadDay();
  }
  if (in.ok() && in.AtEnd()) return rule;
  return Error(Code::kInvalidArgument, "the rule of the time zone is not one of POSIX");
}

std::int64_t ZoneRule::DaysOf(const Day& day, int year) {
  const std::chrono::year of(year);
  const std::int64_t first = DaysSince1970(of / std::chrono::January / 1);
  switch (day.kind) {
    case Day::Kind::kOfYear:
      return first + day.day;
    case Day::Kind::kNoLeapDay:
      return first + day.day - 1 + (of.is_leap() && day.day >= 60 ? 1 : 0);
    case Day::Kind::kOfMonth:
      break;
  }
  const auto month = of / std::chrono::month(static_cast<unsigned>(day.month));
  const std::chrono::weekday weekday(static_cast<unsigned>(day.weekday));
  return DaysSince1970(
      day.week == 5 ? std::chrono::sys_days(month / weekday[std::chrono::last])
                    : std::chrono::sys_days(month / weekday[static_cast<unsigned>(day.week)]));
}

ZoneRule::Changes ZoneRule::ChangesAround(std::int64_t second) const {
  second = std::clamp(second, kFirstSecond, kLastSecond);
  const std::chrono::sys_days day{
      std::chrono::floor<std::chrono::days>(std::chrono::seconds(second))};
  const int year = static_cast<int>(std::chrono::year_month_day(day).year());
  Changes changes;
  // Of two changes at the same time, the later one counts: a summer time that ends when the next
  // one begins does not end.
  const auto add = [&changes](std::int64_t at, std::int32_t offset) {
    const auto place = std::ranges::upper_bound(changes, at, {}, &Changes::value_type::first);
    changes.insert(place, {at, offset});
  };
  for (int of = year - 1; of <= year + 2; ++of) {
    add(DaysOf(begin_, of) * kSecondsOfDay + begin_.time - offset_, summer_offset_);
    add(DaysOf(end_, of) * kSecondsOfDay + end_.time - summer_offset_, offset_);
  }
  return changes;
}

std::int32_t ZoneRule::OffsetAt(std::int64_t second) const {
  std::int32_t offset = offset_;
  if (!has_summer_) return offset;
  for (const auto& [at, then] : ChangesAround(second)) {
    if (at <= second) offset = then;
  }
  return offset;
}

std::int64_t ZoneRule::NextChange(std::int64_t second) const {
  if (!has_summer_ || second >= kLastSecond) return kNoChange;
  for (const auto& [at, then] : ChangesAround(second)) {
    if (at > second) return at;
  }
  return kNoChange;
}

}  // namespace drover
