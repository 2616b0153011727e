// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// A civil time, without a zone.
struct CivilTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  auto operator<=>(const CivilTime&) const = default;
};

// A time zone from the machine's database, in the TZif format of RFC 8536.
class TimeZone {
 public:
  // Reads the zone NAME below /usr/share/zoneinfo; "" and "UTC" need no file, and "Local" is
  // /etc/localtime. Zones are shared, and read once per agent. NAME must not leave the directory.
  static Result<std::shared_ptr<const TimeZone>> Find(const std::string& name);
  // Reads the bytes of a TZif file. They may be hostile: at most 1 MiB is read.
  static Result<TimeZone> Parse(std::string_view bytes);

  CivilTime At(WallTime time) const;
  // Returns the first time with this civil time; absent if a change of the clock skips it.
  std::optional<WallTime> First(const CivilTime& civil) const;
  // Returns the second one, if the clock was put back over it.
  std::optional<WallTime> Second(const CivilTime& civil) const;

 private:
  struct Change {
    std::int64_t at = 0;  // seconds
    std::int32_t offset = 0;
  };
  std::int32_t OffsetAt(std::int64_t second) const;

  std::vector<Change> changes_;
  std::int32_t first_offset_ = 0;
  std::string rule_;  // of POSIX, for the time after the last change
};

}  // namespace drover
