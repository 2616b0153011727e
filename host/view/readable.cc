// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/readable.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "host/view/text_width.h"

namespace drover {

std::string Ago(WallTime then, WallTime now) {
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86'400, "d"}, {3'600, "h"}, {60, "m"}, {1, "s"}};
  if (then <= 0) return "-";
  std::int64_t seconds = std::max<std::int64_t>(now - then, 0) / 1'000'000'000;
  std::string text;
  int units = 0;
  for (const auto& [size, name] : kUnits) {
    const std::int64_t count = seconds / size;
    seconds %= size;
    if (count > 0) text += std::to_string(count) + name;
    if (!text.empty() && ++units == 2) break;  // two units are precise enough
  }
  return (text.empty() ? "0s" : text) + " ago";
}

std::string LocalTime(WallTime time) {
  if (time <= 0) return "-";
  const std::time_t seconds = static_cast<std::time_t>(time / 1'000'000'000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

std::string Moment(const std::string& rfc3339) {
  if (rfc3339.empty() || rfc3339.starts_with("0001-")) return "-";
  const std::size_t dot = rfc3339.find('.');
  return dot == std::string::npos ? rfc3339 : rfc3339.substr(0, dot) + "Z";
}

std::string Amount(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || amount >= 10 ? "%.0f %s" : "%.1f %s", amount,
                kUnits[unit]);
  return text;
}

std::string ShownId(const std::string& id, bool in_full) {
  return in_full ? id : FirstCharacters(id, 8);
}

}  // namespace drover
