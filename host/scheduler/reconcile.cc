// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/reconcile.h"

#include <algorithm>
#include <vector>

#include "host/scheduler/in_place.h"

namespace drover {
namespace {

constexpr char kNotNeeded[] = "alloc not needed due to job update";
constexpr char kMigrated[] = "alloc is being migrated";

// Returns whether RECORD, which has ended or must stop, waits for a replacement that is not placed
// yet: it was stopped for it, or it has failed. The files of its sticky disk then go to that one.
// An allocation of a purged job, which had the same id as JOB, is replaced by none.
bool WaitsForReplacement(const AllocRecord& record, const JobRecord& job) {
  if (!record.next.empty() || record.job->create_index != job.create_index) return false;
  if (!record.alloc->server_terminal()) {
    return record.reported.status.status == ClientStatus::kFailed;
  }
  const std::string& why = record.alloc->desired_description;
  return why == kUpdated || why == kMigrated;
}

// Returns whether RECORD is the newest of those ALLOCS that have its group and index.
bool IsNewest(const AllocRecord& record, const JobAllocs& allocs) {
  const Allocation& alloc = *record.alloc;
  return std::ranges::none_of(allocs, [&alloc](const auto& other) {
    const Allocation& of = *other->alloc;
    return of.group_name == alloc.group_name && of.index == alloc.index &&
           of.create_index > alloc.create_index;
  });
}

void PlanGroup(const JobRecord& job, const TaskGroup& group, const Tables& tables,
               const JobAllocs& allocs, GroupPlan* plan) {
  std::vector<bool> taken(static_cast<std::size_t>(group.count));
  const auto is_taken = [&taken](int index) { return taken[static_cast<std::size_t>(index)]; };
  const auto take = [&taken](int index) { taken[static_cast<std::size_t>(index)] = true; };
  InPlaceUpdate in_place(*job.job, group, tables);
  std::map<int, std::shared_ptr<const AllocRecord>> unreplaced;  // ended, but not replaced yet
  for (const auto& record : allocs) {
    const Allocation& alloc = *record->alloc;
    if (alloc.group_name != group.name) continue;
    unreplaced.erase(alloc.index);
    if (alloc.server_terminal()) {
      if (WaitsForReplacement(*record, job)) unreplaced[alloc.index] = record;
      continue;
    }
    if (record->client_terminal()) {
      if (alloc.index < group.count && NeedsNoOther(*record, job, tables)) take(alloc.index);
      if (WaitsForReplacement(*record, job)) unreplaced[alloc.index] = record;
      continue;
    }
    if (alloc.index >= group.count || is_taken(alloc.index)) {
      plan->stop.push_back({record, kNotNeeded});
      continue;
    }
    take(alloc.index);  // of two allocations with the same index, the older one stays
    if (record->migrate) {
      plan->stop.push_back({record, kMigrated});
      plan->place.push_back({alloc.index, record});
      ++plan->migrate;
    } else if (record->job->job_modify_index == job.job_modify_index) {
      ++plan->ignore;
    } else if (in_place.Allows(*record)) {
      plan->update.push_back(record);
    } else {
      plan->stop.push_back({record, std::string(kUpdated), true});
      plan->place.push_back({alloc.index, record, true});
      ++plan->destructive;
    }
  }
  for (int index = 0; index < group.count; ++index) {
    if (is_taken(index)) continue;
    const auto replaces = unreplaced.find(index);
    plan->place.push_back({index, replaces == unreplaced.end() ? nullptr : replaces->second});
  }
}

}  // namespace

bool NeedsNoOther(const AllocRecord& record, const JobRecord& job, const Tables& tables) {
  // An ended allocation is not started again for the same version of the job. But a newer version
  // gets a new allocation.
  if (record.job->job_modify_index == job.job_modify_index) return true;
  // A sysbatch job runs once on each node, until what it runs changes. The allocation that was
  // placed last shows what has run.
  return job.job->type == JobType::kSysbatch &&
         record.reported.status.status == ClientStatus::kComplete &&
         CanUpdateInPlace(*record.job->job, *job.job, record.alloc->group_name) &&
         IsNewest(record, tables.AllocsOf(KeyOf(*job.job)));
}

JobPlan Reconcile(const JobRecord* job, const JobKey& key, const Tables& tables) {
  const JobAllocs& allocs = tables.AllocsOf(key);
  JobPlan plan;
  const bool wanted = job != nullptr && !job->stop;
  if (wanted) {
    for (const TaskGroup& group : job->job->groups) {
      PlanGroup(*job, group, tables, allocs, &plan[group.name]);
    }
  }
  for (const auto& record : allocs) {
    const std::string& name = record->alloc->group_name;
    if (record->terminal() || (wanted && FindGroup(*job->job, name) != nullptr)) continue;
    plan[name].stop.push_back({record, kNotNeeded});
  }
  return plan;
}

}  // namespace drover
