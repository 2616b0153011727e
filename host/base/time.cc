// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/time.h"

#include <array>
#include <cstdint>
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

}  // namespace drover
