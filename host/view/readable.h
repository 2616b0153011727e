// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/time.h"

namespace drover {

// These functions convert times and amounts to text for people.

// Returns the time since THEN, such as "12s ago", "3m4s ago" or "2d5h ago". Returns "-" if THEN is
// 0.
std::string Ago(WallTime then, WallTime now);
// Returns the date and the time of day in the local time zone. Returns "-" if TIME is 0.
std::string LocalTime(WallTime time);
// Returns a time without its fraction of a second, such as "2026-11-22T08:22:04Z". Returns "-" for
// Go's zero time.
std::string Moment(const std::string& rfc3339);
// Returns a number of bytes as text, such as "512 B", "1.5 KiB" or "20 MiB".
std::string Amount(std::uint64_t bytes);
// Returns the first eight characters of ID, or all of them if IN_FULL is true.
std::string ShownId(const std::string& id, bool in_full);

}  // namespace drover
