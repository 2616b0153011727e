// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The rules of what goes on with time: reschedules, disconnections, deployments, evaluations.
#include <algorithm>

#include "tests/model/alloc_facts.h"
#include "tests/model/change_model.h"

namespace drover {
namespace {

bool MayReschedule(const AllocRecord& record) {
  if (IsPerNodeType(record.job->job->type)) return false;
  const ReschedulePolicy& policy = record.alloc->group()->reschedule;
  if (policy.unlimited) return true;
  return AttemptsBefore(policy, record.changes().reschedules, EndOf(record)) < policy.attempts;
}

}  // namespace

// What waits for a time has an evaluation, and what waited for it is done.
void ChangeModel::LookAtWaits(const Tables& tables, const JobKey& key, WallTime now) {
  const JobRecord& job = *tables.jobs.at(key);
  if (job.stop) return;
  const auto deployment = DeploymentOf(tables, key);
  const JobAllocs& all = tables.AllocsOf(key);
  for (const auto& record : all) {
    const Allocation& alloc = *record->alloc;
    if (alloc.desired_status != DesiredStatus::kRun || alloc.group() == nullptr) continue;
    const auto& lost_after = alloc.group()->disconnect.lost_after;
    if (IsUnknown(*record) && record->reported.status.status != ClientStatus::kUnknown &&
        IsReady(tables, alloc.node_id)) {
      Break(NameOf(*record) + ": its node is back, and nothing was decided");
    }
    if (record->reported.status.status == ClientStatus::kUnknown && lost_after &&
        !IsReady(tables, alloc.node_id) && !record->changes().states.empty() &&
        record->changes().states.back().time + (*lost_after + kLate).count() < now) {
      Break(NameOf(*record) + ": unknown for longer than lost_after");
    }
    const ClientStatus status = record->reported.status.status;
    const bool failed = status == ClientStatus::kFailed ||
                        (status == ClientStatus::kComplete && job.job->type == JobType::kService);
    if (!failed || alloc.canary || record->no_reschedule || !MayReschedule(*record)) continue;
    if (record->job->job_modify_index != job.job_modify_index) continue;
    if (alloc.index >= GroupOf(*job.job)->count) continue;
    if (deployment != nullptr && alloc.deployment_id == deployment->id &&
        (deployment->status == "paused" || deployment->status == "failed")) {
      continue;
    }
    const bool has_other = std::ranges::any_of(all, [&](const auto& of) {
      return of->id() != record->id() && of->alloc->index == alloc.index &&
             (IsLive(*of) || of->alloc->create_index > alloc.create_index);
    });
    if (has_other) continue;
    const auto eval = Tables::Find(tables.evals, record->changes().follow_up_eval);
    if (eval == nullptr || !eval->follows_up()) {
      Break(NameOf(*record) + ": has failed, and no evaluation waits to replace it");
    }
  }
}

void ChangeModel::LookAtDeployments(const Tables& tables, const JobKey& key, WallTime now) {
  const JobRecord& job = *tables.jobs.at(key);
  int active = 0;
  for (const auto& [id, deployment] : tables.deployments) {
    if (KeyOf(*deployment) != key || deployment->job_create_index != job.create_index) continue;
    Rollout& rollout = rollouts_[id];
    if (deployment->status == "failed" && rollout.status != "failed" && !job.stop) {
      LookAtFailure(tables, key, *deployment);
    }
    if (deployment->status == "successful" && rollout.status != "successful") {
      const auto version = Tables::Find(tables.versions.at(key), deployment->job_version);
      if (version != nullptr && !version->stable) Break(key.second + ": its version is not stable");
      if (deployment->has_unpromoted_canaries()) Break(key.second + ": ended without a promotion");
    }
    rollout.status = deployment->status;
    if (!deployment->active()) continue;
    if (++active > 1) Break(key.second + ": has two active deployments");
    if (job.stop) Break(key.second + ": is stopped, and its deployment goes on");
    if (deployment->job_version != job.version) {
      Break(key.second + ": the deployment of an older version goes on");
      continue;
    }
    LookAtRollout(tables, key, *deployment);
    for (const auto& [name, group] : deployment->groups) {
      const bool waits_for_people =
          group.desired_canaries > 0 && !group.promoted && group.healthy >= group.desired_canaries;
      if (deployment->status == "running" && group.require_progress_by != 0 &&
          group.healthy < group.desired_total && !waits_for_people &&
          group.require_progress_by + kLate.count() < now) {
        Break(key.second + ": its deployment has passed its deadline");
      }
    }
  }
}

// A deployment never has more allocations under way than max_parallel allows.
void ChangeModel::LookAtRollout(const Tables& tables, const JobKey& key,
                                const Deployment& deployment) {
  const JobRecord& job = *tables.jobs.at(key);
  Rollout& rollout = rollouts_[deployment.id];
  int healthy = 0;
  for (const auto& record : tables.AllocsOf(key)) {
    if (record->alloc->deployment_id != deployment.id || !IsHealthy(*record)) continue;
    ++healthy;
    rollout.healthy.insert(SlotOf(*record));
  }
  const auto group = deployment.groups.find("g");
  if (group == deployment.groups.end()) return;
  if (group->second.healthy != healthy) {
    Break(key.second + ": its deployment counts " + std::to_string(group->second.healthy) +
          " healthy ones of " + std::to_string(healthy));
  }
  // What a system job had on a node that is gone, or drained, is not replaced.
  std::erase_if(rollout.begun, [&](const Slot& slot) {
    if (slot.first.empty()) return false;
    return !IsReady(tables, slot.first) || !tables.nodes.at(slot.first)->eligible;
  });
  const int most = std::max(GroupOf(*job.job)->rollout.max_parallel,
                            group->second.promoted || job.job->type == JobType::kService
                                ? 0
                                : group->second.desired_canaries);
  const auto under_way = std::ranges::count_if(
      rollout.begun, [&](const Slot& slot) { return !rollout.healthy.contains(slot); });
  if (under_way > most) {
    Break(key.second + ": " + std::to_string(under_way) + " are replaced at once, and not " +
          std::to_string(most));
  }
}

// A deployment with auto_revert that has failed goes back to the last stable version, unless that
// is the same one.
void ChangeModel::LookAtFailure(const Tables& tables, const JobKey& key, const Deployment& failed) {
  const bool reverts = std::ranges::any_of(
      failed.groups, [](const auto& group) { return group.second.auto_revert; });
  const auto& versions = versions_[key];
  const auto own = Tables::Find(versions, failed.job_version);
  if (!reverts || own == nullptr) return;
  std::shared_ptr<const JobRecord> target;
  for (const auto& [number, version] : versions) {
    if (number < failed.job_version && version->stable && !version->stop &&
        version->create_index == failed.job_create_index) {
      target = version;
    }
  }
  if (target != nullptr && *target->job == *own->job) target = nullptr;
  const JobRecord& newest = *tables.jobs.at(key);
  if (target == nullptr) {
    if (newest.version != failed.job_version) Break(key.second + ": went back to nothing stable");
  } else if (newest.version == failed.job_version) {
    Break(key.second + ": did not go back to version " + std::to_string(target->version));
  } else if (!(*newest.job == *target->job)) {
    Break(key.second + ": went back to another version than " + std::to_string(target->version));
  }
}

// No evaluation is forgotten: neither those that are carried out at once, nor those with a time.
void ChangeModel::LookAtEvals(const Tables& tables, WallTime now) {
  std::map<JobKey, int> blocked;
  for (const auto& [id, eval] : tables.evals) {
    if (eval->status == "blocked" && ++blocked[KeyOf(*eval)] > 1) {
      Break(eval->job_id + ": two evaluations wait for room");
    }
    if (eval->status != "pending") continue;
    if (eval->wait_until == 0) {
      Break(eval->job_id + ": an evaluation (" + eval->triggered_by.str() +
            ") was not carried out");
    } else if (eval->wait_until + kLate.count() < now) {
      Break(eval->job_id + ": an evaluation (" + eval->triggered_by.str() +
            ") has missed its time");
    }
  }
}

}  // namespace drover
