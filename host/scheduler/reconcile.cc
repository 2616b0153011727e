// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/reconcile.h"

#include <vector>

namespace drover {
namespace {

constexpr char kNotNeeded[] = "alloc not needed due to job update";
constexpr char kMigrated[] = "alloc is being migrated";

// Returns whether RECORD was stopped for a replacement that is not placed yet.
bool WaitsForReplacement(const AllocRecord& record) {
  const std::string& why = record.alloc->desired_description;
  return record.next.empty() && (why == kUpdated || why == kMigrated);
}

void PlanGroup(const JobRecord& job, const TaskGroup& group, const JobAllocs& allocs,
               GroupPlan* plan) {
  std::vector<bool> taken(static_cast<std::size_t>(group.count));
  const auto is_taken = [&taken](int index) { return taken[static_cast<std::size_t>(index)]; };
  const auto take = [&taken](int index) { taken[static_cast<std::size_t>(index)] = true; };
  std::map<int, std::shared_ptr<const AllocRecord>> unreplaced;  // stopped, but not replaced yet
  for (const auto& record : allocs) {
    const Allocation& alloc = *record->alloc;
    if (alloc.group_name != group.name) continue;
    unreplaced.erase(alloc.index);
    if (alloc.server_terminal()) {
      if (WaitsForReplacement(*record)) unreplaced[alloc.index] = record;
      continue;
    }
    const bool current = record->job->job_modify_index == job.job_modify_index;
    if (record->client_terminal()) {
      // An ended allocation is not started again for the same version of the job. But a newer
      // version gets a new allocation.
      if (current && alloc.index < group.count) take(alloc.index);
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
    } else if (current) {
      ++plan->ignore;
    } else if (CanUpdateInPlace(*alloc.group(), group)) {
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

bool CanUpdateInPlace(const TaskGroup& from, const TaskGroup& to) {
  // Runners apply changes of these fields while the tasks run. Every other change requires a new
  // allocation.
  TaskGroup same = from;
  same.count = to.count;
  same.restart_policy = to.restart_policy;
  same.shutdown_delay = to.shutdown_delay;
  same.migrate_max_parallel = to.migrate_max_parallel;
  same.constraints = to.constraints;  // constraints matter only for the next placement
  if (same.tasks.size() != to.tasks.size()) return false;
  for (std::size_t i = 0; i < to.tasks.size(); ++i) {
    same.tasks[i].restart_policy = to.tasks[i].restart_policy;
    same.tasks[i].kill_timeout = to.tasks[i].kill_timeout;
    same.tasks[i].shutdown_delay = to.tasks[i].shutdown_delay;
    same.tasks[i].actions = to.tasks[i].actions;
    same.tasks[i].constraints = to.tasks[i].constraints;
  }
  return same == to;
}

JobPlan Reconcile(const JobRecord* job, const JobAllocs& allocs) {
  JobPlan plan;
  const bool wanted = job != nullptr && !job->stop;
  if (wanted) {
    for (const TaskGroup& group : job->job->groups) {
      PlanGroup(*job, group, allocs, &plan[group.name]);
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
