// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/rollout.h"

#include <algorithm>
#include <limits>

#include "host/deployment/deployment_watch.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

bool IsOfJob(const Deployment& deployment, const JobRecord& job) {
  return deployment.job_version == job.version && deployment.job_create_index == job.create_index;
}

// Returns whether the group has allocations of an older version that cannot take over the wanted
// one.
bool HasOlder(const ReconcileInput& input, const TaskGroup& group) {
  return std::ranges::any_of(*input.allocs, [&](const auto& record) {
    const Allocation& alloc = *record->alloc;
    return alloc.group_name == group.name && !record->terminal() && !alloc.canary &&
           alloc.index < group.count && !IsWanted(*record, input) &&
           !input.can_update(*record, group);
  });
}

bool HasWanted(const ReconcileInput& input, const TaskGroup& group) {
  return std::ranges::any_of(*input.allocs, [&](const auto& record) {
    return record->alloc->group_name == group.name && IsWanted(*record, input);
  });
}

bool OnlyScalesDown(const AllocRecords& updated, const Job& to) {
  const Job* last = nullptr;  // most allocations share a version
  for (const auto& record : updated) {
    if (record->job->job.get() == last) continue;
    last = record->job->job.get();
    if (!HasOnlyFewer(*last, to)) return false;
  }
  return true;
}

DeploymentGroup NewGroup(const TaskGroup& group, const RolloutState& rollout, int total,
                         WallTime now) {
  DeploymentGroup out;
  out.auto_revert = group.rollout.auto_revert;
  out.auto_promote = group.rollout.auto_promote;
  out.progress_deadline = Bounded(group.rollout.progress_deadline);
  out.desired_canaries = rollout.canaries ? rollout.desired_canaries : 0;
  out.promoted = out.desired_canaries == 0;
  out.desired_total = total;
  // Canaries may find no room for ever, since what they shall replace keeps its own.
  if (!out.promoted && out.progress_deadline > Duration(0)) {
    out.require_progress_by = now + out.progress_deadline.count();
  }
  return out;
}

// Lets OUT, the state of GROUP of a job on each node, want what CHANGE found possible, since nodes
// have come or gone. If all of them are away, this says nothing. For more than before there is a
// whole deadline again: the last one may have passed while OUT waited for its promotion.
void FollowNodes(const TaskGroup& group, const GroupChange& change, WallTime now,
                 DeploymentGroup* out) {
  if (change.total == 0) return;
  int canaries = out->desired_canaries;
  if (!out->promoted && canaries > 0 && change.may_be_canaries > 0) {
    canaries = std::min(group.rollout.canary, change.may_be_canaries);
  }
  const bool wants_more = change.total > out->desired_total || canaries > out->desired_canaries;
  if (wants_more && out->require_progress_by != 0) {
    out->require_progress_by =
        std::max(out->require_progress_by, now + out->progress_deadline.count());
  }
  out->desired_total = change.total;
  out->desired_canaries = canaries;
}

void End(const ReconcileInput& input, std::string_view why, JobPlan* plan) {
  Deployment ended = *input.deployment;
  ended.status = deployment_status::kCancelled;
  ended.status_description = why;
  plan->ended = std::move(ended);
}

}  // namespace

bool HasOnlyFewer(const Job& from, const Job& to) {
  if (from.groups.size() != to.groups.size()) return false;
  Job same = from;
  for (std::size_t i = 0; i < to.groups.size(); ++i) {
    if (to.groups[i].count > from.groups[i].count) return false;
    same.groups[i].count = to.groups[i].count;
  }
  return same == to;
}

bool IsWanted(const AllocRecord& record, const ReconcileInput& input) {
  return record.job->job_modify_index == input.job->job_modify_index;
}

bool IsPerNode(const JobRecord& job) {
  return job.job->type == JobType::kSystem || job.job->type == JobType::kSysbatch;
}

bool RolloutState::IsOfDeployment(const AllocRecord& record) const {
  return deployment != nullptr && record.alloc->deployment_id == deployment->id;
}

bool RolloutState::IsCanary(const AllocRecord& record) const {
  return canaries && record.alloc->canary && IsOfDeployment(record);
}

bool RolloutState::IsStale(const AllocRecord& record) const {
  if (!record.alloc->canary) return false;
  return !IsOfDeployment(record) || deployment->status == deployment_status::kFailed ||
         deployment->status == deployment_status::kCancelled;
}

RolloutState LookAtRollout(const ReconcileInput& input, const TaskGroup& group) {
  RolloutState out;
  const JobType type = input.job->job->type;
  out.applies =
      (type == JobType::kService || type == JobType::kSystem) && group.rollout.max_parallel > 0;
  if (input.deployment != nullptr && IsOfJob(*input.deployment, *input.job)) {
    out.deployment = input.deployment.get();
    const auto found = out.deployment->groups.find(group.name);
    if (found == out.deployment->groups.end()) return out;
    out.group = &found->second;
    out.active = out.deployment->active();
    out.paused = out.active && out.deployment->status != deployment_status::kRunning;
    out.failed = out.deployment->status == deployment_status::kFailed;
    out.desired_canaries = out.group->desired_canaries;
    out.canaries = out.active && out.desired_canaries > 0 && !out.group->promoted;
    return out;
  }
  out.canaries = out.applies && group.rollout.canary > 0 && HasOlder(input, group);
  if (out.canaries) out.desired_canaries = group.rollout.canary;
  return out;
}

bool IsBusy(const RolloutState& rollout, const AllocRecord& record) {
  if (!rollout.IsOfDeployment(record)) return false;
  return record.client_terminal() || !record.reported.health || !record.reported.health->healthy;
}

int Limit(const RolloutState& rollout, const TaskGroup& group, int busy) {
  if (rollout.paused || rollout.failed) return 0;
  // A deployment that has ended well has nothing left to wait for.
  if (!rollout.applies || (rollout.deployment != nullptr && !rollout.active)) {
    return std::numeric_limits<int>::max();
  }
  return std::max(group.rollout.max_parallel - busy, 0);
}

bool Begins(const ReconcileInput& input, const RolloutState& rollout, const GroupPlan& plan,
            const GroupChange& change, const TaskGroup& group) {
  if (!rollout.applies || rollout.deployment != nullptr || change.total == 0) return false;
  if (change.destructive || plan.canaries > 0) return true;
  const bool places =
      std::ranges::any_of(plan.place, [](const auto& place) { return place.job == nullptr; });
  if (places && !HasWanted(input, group)) return true;
  return !plan.update.empty() && !OnlyScalesDown(plan.update, *input.job->job);
}

void PlanDeployment(const ReconcileInput& input, const std::map<std::string, GroupChange>& changes,
                    JobPlan* plan) {
  const bool is_active = input.deployment != nullptr && input.deployment->active();
  if (input.job == nullptr || input.job->stop) {
    if (is_active) End(input, deployment_text::kJobStopped, plan);
    return;
  }
  const JobRecord& job = *input.job;
  if (is_active && !IsOfJob(*input.deployment, job)) End(input, deployment_text::kNewerJob, plan);
  Deployment begun;
  std::optional<Deployment> goes_on;
  for (const TaskGroup& group : job.job->groups) {
    const RolloutState rollout = LookAtRollout(input, group);
    const GroupChange& change = changes.at(group.name);
    if (change.begins) begun.groups[group.name] = NewGroup(group, rollout, change.total, input.now);
    if (!change.begins && !rollout.active) continue;
    if (IsPerNode(job)) {
      if (rollout.active && !goes_on) goes_on = *input.deployment;
      Deployment& of = rollout.active ? *goes_on : begun;
      FollowNodes(group, change, input.now, &of.groups[group.name]);
    }
    for (GroupPlan::Place& place : plan->groups[group.name].place) {
      place.in_deployment = place.job == nullptr;
    }
  }
  if (begun.groups.empty()) {
    if (goes_on && !(*goes_on == *input.deployment)) plan->deployment = std::move(goes_on);
    return;
  }
  begun.job_namespace = job.job->job_namespace;
  begun.job_id = job.job->id;
  begun.job_version = job.version;
  begun.job_modify_index = job.job_modify_index;
  begun.job_create_index = job.create_index;
  begun.status_description = RunningText(begun);
  begun.eval_priority = input.eval_priority;
  plan->deployment = std::move(begun);
}

}  // namespace drover
