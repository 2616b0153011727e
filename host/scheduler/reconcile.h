// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/state/tables.h"

namespace drover {

// The steps that bring the allocations of one group in line with the job. Records in `stop` and
// `update` are never null.
struct GroupPlan {
  struct Stop {
    std::shared_ptr<const AllocRecord> alloc;
    std::string description;
    bool for_new = false;  // `alloc` runs on unless its replacement in `place` will find room
  };
  struct Place {
    int index = 0;                                // the index in the allocation's name
    std::shared_ptr<const AllocRecord> replaces;  // null if the new allocation replaces none
    // `replaces` must stop first, but only if the new allocation will find room.
    bool stops = false;
  };
  std::vector<Stop> stop;
  std::vector<Place> place;
  AllocRecords update;  // allocations that get the new job and run on
  int ignore = 0;
  int destructive = 0;  // how many of `place` replace an allocation that cannot take over the job
  int migrate = 0;      // how many of `place` replace an allocation that was asked to leave
};

using JobPlan = std::map<std::string, GroupPlan>;  // by group name

// Returns the plan for each group of the job KEY. JOB is its wanted version, which need not be in
// TABLES; null if the job was purged.
JobPlan Reconcile(const JobRecord* job, const JobKey& key, const Tables& tables);

// Returns whether RECORD, an allocation of the job that has ended, needs no new allocation in its
// place. JOB is the wanted version of the job. TABLES contain RECORD.
bool NeedsNoOther(const AllocRecord& record, const JobRecord& job, const Tables& tables);

// The description of an allocation that stops because an allocation of a newer version replaces
// it.
inline constexpr std::string_view kUpdated = "alloc is being updated due to job update";

}  // namespace drover
