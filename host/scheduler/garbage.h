// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "host/scheduler/tables.h"

namespace drover {

// What of that which has ended is forgotten.
struct GarbageRule {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  WallTime ended_before = std::numeric_limits<WallTime>::max();
  std::size_t keep = kAll;  // of the allocations that have ended since, the newest so many
  bool jobs = true;         // also evaluations, and jobs of which nothing is left
};

// How many allocations RULE could ever take: those that have ended and that no living job needs.
std::size_t CountEnded(const Tables& tables);

// Forgets what has ended by RULE; what it has written to. An allocation that has not ended, or by
// which a living job knows what it has done, stays.
TableMask CollectGarbage(Tables* tables, const GarbageRule& rule);

}  // namespace drover
