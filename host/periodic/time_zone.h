// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/periodic/zone_rule.h"

namespace drover {

// A time as clocks of a zone show it.
struct ZoneTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  auto operator<=>(const ZoneTime&) const = default;
};

// A time zone from the machine's database, in the TZif format of RFC 8536. Between two changes of
// the clock, the zone has one offset. So a search for a civil time goes from change to change, and
// needs no rule for times that a change skips or repeats.
class TimeZone {
 public:
  // Returns the zone NAME of the database in /usr/share/zoneinfo. "" and "UTC" need no file, and
  // "Local" is /etc/localtime. A zone is read once by a process, and then shared: only the first
  // call for a zone blocks. Error kInvalidArgument says that the name is none, and kNotFound that
  // the machine has no such zone. [any thread]
  static Result<std::shared_ptr<const TimeZone>> Find(const std::string& name);
  // Reads the bytes of a TZif file. They may be hostile.
  static Result<TimeZone> Parse(std::string_view bytes);

  // Returns the offset at SECOND, in seconds since 1970; east of UTC it is positive.
  std::int32_t OffsetAt(std::int64_t second) const;
  // Returns the first change of the clock after SECOND, or kNoChange.
  std::int64_t NextChange(std::int64_t second) const;
  ZoneTime At(WallTime time) const;

 private:
  struct Change {
    std::int64_t at = 0;
    std::int32_t offset = 0;  // from then on
  };
  class Reader;

  std::vector<Change> changes_;  // the earliest first
  std::int32_t first_offset_ = 0;
  std::optional<ZoneRule> rule_;  // for the time after the last change
};

}  // namespace drover
