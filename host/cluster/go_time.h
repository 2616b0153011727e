// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/time.h"

// Times as Go writes them in binary: a version byte, the seconds since the year 1 as 64 bits, the
// nanoseconds as 32 bits, and the offset of the zone in minutes as 16 bits, all big endian. Version
// 2 has another byte with seconds of the offset. The offset does not change the point in time.
namespace drover {

// Returns TIME in UTC, in the 15 bytes of version 1. A TIME of 0 gives the zero time of Go.
std::string WriteGoTime(WallTime time);

// Returns the time that BYTES mean. Returns 0 for the zero time of Go, and nothing for other bytes
// or a year that is not between 1970 and 2261.
std::optional<WallTime> ReadGoTime(std::string_view bytes);

}  // namespace drover
