// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/scheduler/records.h"

namespace drover {

// What has to be done in one group to get from the allocations that there are to those that the job
// wants. Records are never null.
struct GroupPlan {
  struct Stop {
    std::shared_ptr<const AllocRecord> alloc;
    std::string description;
  };
  struct Place {
    int index = 0;                                // in the allocation's name
    std::shared_ptr<const AllocRecord> replaces;  // null: none
  };
  std::vector<Stop> stop;
  std::vector<Place> place;
  AllocRecords update;  // gets the new job, and runs on
  int ignore = 0;
  int destructive = 0;  // of place: in the place of one that cannot take the new job as it runs
  int migrate = 0;      // of place: in the place of one that was asked to go
};

using JobPlan = std::map<std::string, GroupPlan>;  // by group

// JOB null: it was purged. ALLOCS are all of the job's, also those that have ended, in the order in
// which they were placed.
JobPlan Reconcile(const JobRecord* job, const AllocRecords& allocs);

// Whether a running allocation of the one can go on as one of the other.
bool CanUpdateInPlace(const TaskGroup& from, const TaskGroup& to);

}  // namespace drover
