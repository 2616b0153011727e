// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/time.h"

namespace drover {

// A thing that a driver has prepared for tasks, such as an image.
struct PreparedItem {
  std::string key;
  std::uint64_t size = 0;  // in bytes on the disk; 0: unknown
  WallTime last_used = 0;  // 0: unknown

  bool operator==(const PreparedItem&) const = default;
};

}  // namespace drover
