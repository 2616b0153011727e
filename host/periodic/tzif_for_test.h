// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/periodic/time_zone.h"

// Time zones for tests, which do not depend on the database of the machine.
namespace drover {

struct TzifParts {
  char version = '2';
  std::vector<std::int32_t> offsets = {0};
  std::vector<std::pair<std::int64_t, std::uint8_t>> changes = {};  // time, index of the offset
  std::string rule = {};
  std::uint32_t leaps = 0;
};

inline void AppendNumber(std::string* out, std::int64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
}

// Returns a TZif file.
inline std::string Tzif(const TzifParts& parts) {
  std::string file;
  for (const int width : {4, 8}) {
    file += std::string("TZif") + parts.version + std::string(15, '\0');
    for (const std::size_t count : {std::size_t{0}, std::size_t{0}, std::size_t{parts.leaps},
                                    parts.changes.size(), parts.offsets.size(), std::size_t{4}}) {
      AppendNumber(&file, static_cast<std::int64_t>(count), 4);
    }
    for (const auto& [at, type] : parts.changes) AppendNumber(&file, at, width);
    for (const auto& [at, type] : parts.changes) file.push_back(static_cast<char>(type));
    for (const std::int32_t offset : parts.offsets) {
      AppendNumber(&file, offset, 4);
      file += std::string(2, '\0');
    }
    file += std::string("ABC\0", 4) +
            std::string(parts.leaps * static_cast<std::size_t>(width + 4), '\0');
    if (parts.version == '\0') return file;
  }
  return file + "\n" + parts.rule + "\n";
}

inline TimeZone ZoneOf(const TzifParts& parts) {
  Result<TimeZone> zone = TimeZone::Parse(Tzif(parts));
  EXPECT_TRUE(zone.ok());
  return zone.ok() ? std::move(*zone) : TimeZone();
}
inline TimeZone ZoneOf(const std::string& rule) { return ZoneOf(TzifParts{.rule = rule}); }

inline constexpr char kBerlin[] = "CET-1CEST,M3.5.0,M10.5.0/3";
inline constexpr char kNewYork[] = "EST5EDT,M3.2.0,M11.1.0";
inline constexpr char kLordHowe[] = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";

// Returns a time in UTC.
inline WallTime Utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0,
                    int second = 0) {
  const std::chrono::sys_days date(std::chrono::year(year) / std::chrono::month(month) /
                                   std::chrono::day(day));
  const auto of_day = std::chrono::hours(hour) + std::chrono::minutes(minute);
  return std::chrono::nanoseconds(date.time_since_epoch() + of_day + std::chrono::seconds(second))
      .count();
}

}  // namespace drover
