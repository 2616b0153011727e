// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/scheduler/tables.h"

namespace drover {

// What has to be done in one group to get from the allocations that there are to those that the job
// wants. Records are never null.
struct GroupPlan {
  struct Stop {
    std::shared_ptr<const AllocRecord> alloc;
    std::string description;
    bool for_new = false;  // one of place comes in its place, or it runs on
  };
  struct Place {
    int index = 0;                                // in the allocation's name
    std::shared_ptr<const AllocRecord> replaces;  // null: none
    bool stops = false;  // what it replaces is stopped for it, if there is room then
  };
  std::vector<Stop> stop;
  std::vector<Place> place;
  AllocRecords update;  // gets the new job, and runs on
  int ignore = 0;
  int destructive = 0;  // of place: in the place of one that cannot take the new job as it runs
  int migrate = 0;      // of place: in the place of one that was asked to go
};

using JobPlan = std::map<std::string, GroupPlan>;  // by group

// JOB null: it was purged. ALLOCS are all of the job's, also those that have ended.
JobPlan Reconcile(const JobRecord* job, const JobAllocs& allocs);

// Why an allocation is stopped for one of a newer job.
inline constexpr std::string_view kUpdated = "alloc is being updated due to job update";

// Whether a running allocation of the one can go on as one of the other.
bool CanUpdateInPlace(const TaskGroup& from, const TaskGroup& to);

}  // namespace drover
