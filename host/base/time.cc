// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/time.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>

namespace drover {
namespace {

std::int64_t Read(clockid_t clock) {
  timespec ts{};
  clock_gettime(clock, &ts);
  return ts.tv_sec * 1'000'000'000LL + ts.tv_nsec;
}

// Returns VALUE / UNIT as a decimal number without trailing zeros.
std::string Fraction(std::uint64_t value, std::uint64_t unit) {
  std::string text = std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  for (std::uint64_t place = unit / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
// If one name begins with another name, the longer name must come first.
constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"µs", 1'000},
                                      {"μs", 1'000},
                                      {"ms", 1'000'000},
                                      {"s", 1'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"h", 3'600'000'000'000}}};

}  // namespace

TimePoint BootClock::now() { return TimePoint(Duration(Read(CLOCK_BOOTTIME))); }
WallTime WallNow() { return Read(CLOCK_REALTIME); }

std::string FormatDuration(Duration duration) {
  std::string sign;
  auto count = static_cast<std::uint64_t>(duration.count());
  if (duration.count() < 0) {
    sign = "-";
    count = 0 - count;
  }
  if (count == 0) return "0s";
  if (count < 1'000) return sign + std::to_string(count) + "ns";
  if (count < 1'000'000) return sign + Fraction(count, 1'000) + "µs";
  if (count < 1'000'000'000) return sign + Fraction(count, 1'000'000) + "ms";
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const std::uint64_t minutes = count / kMinute;
  std::string text = Fraction(count % kMinute, 1'000'000'000) + "s";
  if (minutes >= 60)
    return sign + std::to_string(minutes / 60) + "h" + std::to_string(minutes % 60) + "m" + text;
  if (minutes > 0) return sign + std::to_string(minutes) + "m" + text;
  return sign + text;
}

Result<Duration> ParseDuration(std::string_view text) {
  const Error bad(Code::kInvalidArgument, "\"" + std::string(text) +
                                              "\" is not a duration: write a number and a unit, "
                                              "for example 30s, 1m30s or 250ms");
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return Duration(0);
  if (rest.empty()) return bad;
  long double total = 0;
  while (!rest.empty()) {
    long double number = 0;
    long double place = 1;
    bool digits = false;
    bool point = false;
    for (; !rest.empty(); rest.remove_prefix(1)) {
      const char c = rest[0];
      if (c == '.' && !point) {
        point = true;
      } else if (c >= '0' && c <= '9') {
        digits = true;
        number = number * 10 + (c - '0');
        if (point) place *= 10;
      } else {
        break;
      }
    }
    if (!digits) return bad;
    const Unit* found = nullptr;
    for (const Unit& unit : kUnits) {
      if (rest.substr(0, unit.name.size()) == unit.name) {
        found = &unit;
        break;
      }
    }
    if (found == nullptr) return bad;
    rest.remove_prefix(found->name.size());
    total += number / place * static_cast<long double>(found->nanoseconds);
    if (total > static_cast<long double>(std::numeric_limits<std::int64_t>::max())) return bad;
  }
  const auto count = static_cast<std::int64_t>(total);
  return Duration(negative ? -count : count);
}

std::string Rfc3339(WallTime time) {
  if (time == 0) return "0001-01-01T00:00:00Z";
  auto seconds = static_cast<std::time_t>(time / 1'000'000'000);
  WallTime rest = time % 1'000'000'000;
  if (rest < 0) {  // before 1970: the clock of a machine may say anything
    rest += 1'000'000'000;
    --seconds;
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%09lldZ", static_cast<long long>(rest));
  return text;
}

Result<WallTime> ParseRfc3339(std::string_view text) {
  const Error bad(Code::kInvalidArgument,
                  "not a time such as 2026-11-22T08:15:30Z between 1970 and 2261");
  // Returns the number that the COUNT digits at AT represent, or -1.
  const auto digits = [text](std::size_t at, std::size_t count) {
    int number = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
      number = number * 10 + (text[i] - '0');
    }
    return number;
  };
  const auto is = [text](std::size_t at, char c) { return at < text.size() && text[at] == c; };
  const int year = digits(0, 4), month = digits(5, 2), day = digits(8, 2);
  const int hour = digits(11, 2), minute = digits(14, 2), second = digits(17, 2);
  if (year < 0 || month < 1 || day < 1 || hour < 0 || minute < 0 || second < 0) return bad;
  if (!is(4, '-') || !is(7, '-') || !is(10, 'T') || !is(13, ':') || !is(16, ':')) return bad;
  if (hour > 23 || minute > 59 || second > 59) return bad;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return bad;
  std::size_t at = 19;
  WallTime fraction = 0;
  if (is(at, '.')) {
    const std::size_t first = ++at;
    WallTime place = 100'000'000;
    for (; digits(at, 1) >= 0 && place > 0; ++at, place /= 10) fraction += digits(at, 1) * place;
    if (at == first) return bad;
  }
  int offset = 0;  // in minutes
  if (is(at, '+') || is(at, '-')) {
    const int hours = digits(at + 1, 2), minutes = digits(at + 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !is(at + 3, ':')) return bad;
    offset = (hours * 60 + minutes) * (is(at, '-') ? -1 : 1);
    at += 6;
  } else if (is(at, 'Z')) {
    ++at;
  } else {
    return bad;
  }
  if (at != text.size()) return bad;
  if (year == 1) return WallTime{0};
  if (year < 1970 || year > 2261) return bad;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * 86'400 + hour * 3'600 + (minute - offset) * 60 + second;
  return seconds * 1'000'000'000 + fraction;
}

}  // namespace drover
