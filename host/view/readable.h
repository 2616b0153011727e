// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/time.h"

namespace drover {

// Times and amounts for people.

// "12s ago", "3m4s ago", "2d5h ago"; "-" for no time.
std::string Ago(WallTime then, WallTime now);
// The date and time of day here; "-" for no time.
std::string LocalTime(WallTime time);
// "2026-11-22T08:22:04Z", without its fraction; "-" for Go's zero time.
std::string Moment(const std::string& rfc3339);
// "512 B", "1.5 KiB", "20 MiB".
std::string Amount(std::uint64_t bytes);
// The first eight characters of an id, or all of them.
std::string ShownId(const std::string& id, bool in_full);

}  // namespace drover
