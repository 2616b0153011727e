// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/scheduler/tables.h"

namespace drover {

// The steps that bring the allocations of one group in line with the job. Records are never null.
struct GroupPlan {
  struct Stop {
    std::shared_ptr<const AllocRecord> alloc;
    std::string description;
    bool for_new = false;  // stops only for its replacement in `place`, or runs on
  };
  struct Place {
    int index = 0;                                // in the allocation's name
    std::shared_ptr<const AllocRecord> replaces;  // null: none
    bool stops = false;  // it has to stop the one it replaces, if there will be room
  };
  std::vector<Stop> stop;
  std::vector<Place> place;
  AllocRecords update;  // they get the new job, and run on
  int ignore = 0;
  int destructive = 0;  // of place: they replace those that cannot be updated in place
  int migrate = 0;      // of place: they replace those that were asked to go
};

using JobPlan = std::map<std::string, GroupPlan>;  // by group

// JOB null: it was purged. ALLOCS are all allocations of the job, including those that have ended.
JobPlan Reconcile(const JobRecord* job, const JobAllocs& allocs);

// The description of an allocation that stops for one of a newer job.
inline constexpr std::string_view kUpdated = "alloc is being updated due to job update";

// Whether a running allocation of FROM can go on as one of TO.
bool CanUpdateInPlace(const TaskGroup& from, const TaskGroup& to);

}  // namespace drover
