// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/reconcile/reconcile.h"

namespace drover {

// How far the change of a group to the wanted version of its job may go now.
struct RolloutState {
  bool applies = false;  // changes of the group go step by step, in a deployment
  // The deployment of the wanted version, which may have ended; null if it has none.
  const Deployment* deployment = nullptr;
  const DeploymentGroup* group = nullptr;  // of `deployment`; null if it does not have the group
  bool active = false;                     // the group is in `deployment`, which goes on
  bool paused = false;
  bool failed = false;
  // There are canaries that nobody has promoted, or they must be placed first. So the older version
  // stays.
  bool canaries = false;
  int desired_canaries = 0;

  // Returns whether allocations of the older version are not to be replaced by the wanted one.
  bool held() const { return paused || failed || canaries; }
  // Returns whether RECORD is a canary of `deployment` that stands beside the other allocations.
  bool IsCanary(const AllocRecord& record) const;
  // Returns whether RECORD was placed as a canary, and its deployment did not succeed.
  bool IsStale(const AllocRecord& record) const;
  bool IsOfDeployment(const AllocRecord& record) const;
};
RolloutState LookAtRollout(const ReconcileInput& input, const TaskGroup& group);

// Returns whether RECORD is of the wanted version of its job.
bool IsWanted(const AllocRecord& record, const ReconcileInput& input);

// Returns how many allocations may be replaced at once, without end if nothing limits it. BUSY is
// the number of allocations that are not known to be healthy, so that the group lacks them now.
int Limit(const RolloutState& rollout, const TaskGroup& group, int busy);
// Returns whether RECORD counts as BUSY above.
bool IsBusy(const RolloutState& rollout, const AllocRecord& record);

// What a plan found out about one group for a new deployment.
struct GroupChange {
  bool begins = false;       // the group gets into a new deployment
  bool destructive = false;  // also those that have to wait
  int total = 0;             // how many allocations the group will have
  int may_be_canaries = 0;   // how many of them are canaries or can become some; of per-node jobs
};
// Decides whether the change of the group begins a deployment.
bool Begins(const ReconcileInput& input, const RolloutState& rollout, const GroupPlan& plan,
            const GroupChange& change, const TaskGroup& group);

// Makes the deployment of PLAN for the groups that begin one, and ends an older one.
void PlanDeployment(const ReconcileInput& input, const std::map<std::string, GroupChange>& changes,
                    JobPlan* plan);

}  // namespace drover
