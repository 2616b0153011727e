// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/plan_job.h"

#include <map>
#include <string>

#include "host/placement/constraint.h"
#include "host/placement/datacenters.h"
#include "host/reconcile/reconcile.h"
#include "host/scheduler/in_place.h"

namespace drover {
namespace {

// Returns whether the job may have allocations of the group on the node.
bool MayRun(const Job& job, const TaskGroup& group, const NodeRecord& node) {
  return IsInDatacenters(job.datacenters, node.datacenter) && IsInNodePool(job, node) &&
         IsInRegion(job, node) && UnmetConstraint(job, group, node, {}).empty();
}

}  // namespace

JobPlan PlanJob(const Tables& tables, const JobRecord* job, const JobKey& key,
                const Evaluation& eval, WallTime now) {
  ReconcileInput input;
  input.job = job;
  input.allocs = &tables.AllocsOf(key);
  input.nodes = &tables.nodes;
  if (job != nullptr) input.deployment = tables.DeploymentOf(*job);
  input.open_evals = &tables.OpenEvalsOf(key);
  input.eval_id = eval.id;
  input.eval_priority = eval.priority;
  input.now = now;
  std::map<std::string, InPlaceUpdate> in_place;  // by group
  if (job != nullptr) {
    for (const TaskGroup& group : job->job->groups) {
      in_place.try_emplace(group.name, *job->job, group, tables);
    }
    input.may_run = [job](const NodeRecord& node, const TaskGroup& group) {
      return MayRun(*job->job, group, node);
    };
  }
  input.can_update = [&in_place](const AllocRecord& record, const TaskGroup& group) {
    return in_place.at(group.name).Allows(record);
  };
  return Reconcile(input);
}

}  // namespace drover
