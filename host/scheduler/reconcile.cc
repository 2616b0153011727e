// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/reconcile.h"

#include <set>

namespace drover {
namespace {

using Allocs = std::vector<std::shared_ptr<const AllocRecord>>;

constexpr char kNotNeeded[] = "alloc not needed due to job update";
constexpr char kUpdated[] = "alloc is being updated due to job update";
constexpr char kMigrated[] = "alloc is being migrated";

void PlanGroup(const JobRecord& job, const TaskGroup& group, const Allocs& allocs,
               GroupPlan* plan) {
  std::set<int> taken;
  for (const auto& record : allocs) {
    const Allocation& alloc = *record->alloc;
    if (alloc.server_terminal()) continue;
    const bool current = record->job->job_modify_index == job.job_modify_index;
    if (record->client_terminal()) {
      // What has ended is not started again for the same job, but a new job starts anew.
      if (current && alloc.index < group.count) taken.insert(alloc.index);
      continue;
    }
    if (alloc.index >= group.count || taken.count(alloc.index) > 0) {
      plan->stop.push_back({record, kNotNeeded});
      continue;
    }
    taken.insert(alloc.index);  // of two with the same index the older one stays
    if (record->migrate) {
      plan->stop.push_back({record, kMigrated});
      plan->place.push_back({alloc.index, record});
      ++plan->migrate;
    } else if (current) {
      ++plan->ignore;
    } else if (CanUpdateInPlace(*alloc.group(), group)) {
      plan->update.push_back(record);
    } else {
      plan->stop.push_back({record, kUpdated});
      plan->place.push_back({alloc.index, record});
      ++plan->destructive;
    }
  }
  for (int index = 0; index < group.count; ++index) {
    if (taken.count(index) == 0) plan->place.push_back({index, nullptr});
  }
}

}  // namespace

bool CanUpdateInPlace(const TaskGroup& from, const TaskGroup& to) {
  // What the runners take over while the tasks run; everything else needs a new start.
  TaskGroup same = from;
  same.count = to.count;
  same.restart_policy = to.restart_policy;
  same.shutdown_delay = to.shutdown_delay;
  if (same.tasks.size() != to.tasks.size()) return false;
  for (std::size_t i = 0; i < to.tasks.size(); ++i) {
    same.tasks[i].restart_policy = to.tasks[i].restart_policy;
    same.tasks[i].kill_timeout = to.tasks[i].kill_timeout;
    same.tasks[i].shutdown_delay = to.tasks[i].shutdown_delay;
  }
  return same == to;
}

JobPlan Reconcile(const JobRecord* job, const Allocs& allocs) {
  std::map<std::string, Allocs> by_group;
  for (const auto& record : allocs) by_group[record->alloc->group_name].push_back(record);

  JobPlan plan;
  const bool wanted = job != nullptr && !job->stop;
  if (wanted) {
    for (const TaskGroup& group : job->job->groups) {
      PlanGroup(*job, group, by_group[group.name], &plan[group.name]);
    }
  }
  for (const auto& [name, list] : by_group) {
    if (wanted && FindGroup(*job->job, name) != nullptr) continue;
    for (const auto& record : list) {
      if (!record->terminal()) plan[name].stop.push_back({record, kNotNeeded});
    }
  }
  return plan;
}

}  // namespace drover
