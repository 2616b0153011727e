// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string>

#include "host/scheduler/tables.h"

namespace drover {

// What of that which has ended is let go.
//
// An allocation that has ended holds two things: its runner and files on the node, and its record,
// by which its job knows what it has done. The node lets go of the first by `collected`; the record
// goes when the job does not need it any more, or with the job.
struct GarbageRule {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  WallTime ended_before = std::numeric_limits<WallTime>::max();
  std::size_t keep = kAll;  // of the allocations that have ended since, the newest so many
  bool living = true;       // also what the ended allocations of living jobs hold on the node
  bool jobs = true;         // also evaluations, and jobs that are over
};

// The evaluations that tell of something that there is: those that are open, the newest of each
// job, and those that have made an allocation of which there is a record.
std::set<std::string> NeededEvals(const Tables& tables);

// How many allocations have ended and still hold something on their node.
std::size_t CountEnded(const Tables& tables);

// Lets go of what has ended by RULE, as the write INDEX; what it has written to. What has not ended
// stays, and so does what a job needs that may still be evaluated: a service that nobody has
// stopped, a batch job that has not ended.
TableMask CollectGarbage(Tables* tables, std::uint64_t index, const GarbageRule& rule);

// The same for one allocation that has ended.
TableMask CollectAlloc(Tables* tables, std::uint64_t index, const AllocRecord& record);

}  // namespace drover
