// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/reconcile.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "host/reconcile/group_plans.h"
#include "host/reconcile/reschedule.h"

namespace drover {
namespace {

bool IsGone(const AllocRecord& record, const NodeRecords& nodes) {
  const auto node = nodes.find(record.alloc->node_id);
  return node == nodes.end() || node->second->status == "down";
}

// Stops all allocations of groups that the job has no longer, or of a job that must not run.
void StopRest(const ReconcileInput& input, bool is_wanted, JobPlan* plan) {
  for (const auto& record : *input.allocs) {
    const std::string& name = record->alloc->group_name;
    if (record->terminal() || (is_wanted && FindGroup(*input.job->job, name) != nullptr)) continue;
    plan->groups[name].stop.push_back({record, std::string(stop_reason::kNotNeeded)});
  }
}

// A node that is gone reports nothing, so that what stops there would never end.
void EndOnGoneNodes(const ReconcileInput& input, JobPlan* plan) {
  for (auto& [name, group] : plan->groups) {
    for (GroupPlan::Stop& stop : group.stop) {
      if (stop.alloc->over() || stop.for_new) continue;
      if (IsGone(*stop.alloc, *input.nodes)) stop.reports = ClientStatus::kLost;
    }
  }
  for (const auto& record : *input.allocs) {
    if (record->over() || !record->alloc->server_terminal()) continue;
    if (!IsGone(*record, *input.nodes)) continue;
    plan->groups[record->alloc->group_name].stop.push_back(
        {record, record->alloc->desired_description, false, ClientStatus::kLost});
  }
}

// Gives replacements that are due within a short time the time of the first of them.
void JoinFollowUps(JobPlan* plan) {
  std::vector<GroupPlan::FollowUp*> failures;
  for (auto& [name, group] : plan->groups) {
    for (GroupPlan::FollowUp& follow_up : group.follow_ups) {
      if (follow_up.triggered_by == "alloc-failure") failures.push_back(&follow_up);
    }
  }
  std::ranges::sort(failures, {}, &GroupPlan::FollowUp::at);
  WallTime first = 0;
  for (GroupPlan::FollowUp* const follow_up : failures) {
    if (first == 0 || follow_up->at - first >= kRescheduleTogether.count()) first = follow_up->at;
    follow_up->at = first;
  }
}

}  // namespace

JobPlan Reconcile(const ReconcileInput& input) {
  JobPlan plan;
  std::map<std::string, GroupChange> changes;
  const bool is_wanted = input.job != nullptr && !input.job->stop;
  if (is_wanted) {
    const auto plan_group = IsPerNode(*input.job) ? PlanSystemGroup : PlanServiceGroup;
    for (const TaskGroup& group : input.job->job->groups) {
      plan.groups[group.name] = plan_group(input, group, &changes[group.name]);
    }
  }
  StopRest(input, is_wanted, &plan);
  EndOnGoneNodes(input, &plan);
  JoinFollowUps(&plan);
  PlanDeployment(input, changes, &plan);
  return plan;
}

}  // namespace drover
