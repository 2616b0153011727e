// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "duration.h"

#include <string_view>

#include "drover/error.hpp"

namespace mock {
namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr Unit kUnits[] = {{"ns", 1},   {"us", 1e3}, {"\u00b5s", 1e3}, {"\u03bcs", 1e3},
                           {"ms", 1e6}, {"s", 1e9},  {"m", 60e9},      {"h", 3600e9}};
// The longest duration, in nanoseconds. It is slightly less than the largest std::int64_t.
constexpr double kLongest = 9.2e18;

bool Digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::chrono::nanoseconds ParseDuration(const std::string& name, const std::string& text) {
  if (text.empty() || text == "0") return {};
  auto fail = [&](const char* why) -> drover::Error {
    return drover::Error(drover::Code::kInvalidArgument,
                         name + " " + text + " not a valid duration: " + why);
  };
  double total = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    double number = 0;
    double place = 1;
    bool fraction = false;
    bool digits = false;
    for (; at < text.size() && (Digit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
      if (text[at] == '.') {
        fraction = true;
        continue;
      }
      digits = true;
      number = number * 10 + (text[at] - '0');
      if (fraction) place *= 10;
    }
    if (!digits) throw fail(begin == 0 ? "it does not begin with a number" : "a number is missing");
    std::size_t unit_begin = at;
    while (at < text.size() && !Digit(text[at]) && text[at] != '.') ++at;
    std::string_view unit(text.data() + unit_begin, at - unit_begin);
    if (unit.empty()) throw fail("missing unit in duration");
    double scale = 0;
    for (const Unit& known : kUnits) {
      if (known.name == unit) scale = known.nanoseconds;
    }
    if (scale == 0) throw fail("unknown unit in duration");
    total += number / place * scale;
    if (total > kLongest) throw fail("it is too long");
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(total));
}

}  // namespace mock
