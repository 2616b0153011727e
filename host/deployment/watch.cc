// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "host/deployment/progress.h"

namespace drover {
namespace {

using Groups = std::map<std::string, GroupProgress>;

// Returns why the deployment has no meaning any more, or an empty text.
std::string_view WhyCancelled(const DeploymentInput& view) {
  const Deployment& deployment = *view.deployment;
  if (view.job == nullptr || view.job->create_index != deployment.job_create_index ||
      view.job->stop) {
    return deployment_text::kJobStopped;
  }
  return view.job->version == deployment.job_version ? "" : deployment_text::kNewerJob;
}

// Copies the counts to GROUP, and moves its deadline after each allocation that became healthy, and
// after each healthy one that ended.
void Count(const GroupProgress& progress, WallTime now, DeploymentGroup* group) {
  // Records of ended allocations may be collected, so the count must not fall.
  group->placed = std::max(group->placed, progress.placed);
  group->healthy = progress.healthy;
  group->unhealthy = progress.unhealthy;
  const std::set<std::string> known(group->placed_canaries.begin(), group->placed_canaries.end());
  for (const std::string& id : progress.canaries) {
    if (!known.contains(id)) group->placed_canaries.push_back(id);
  }
  const WallTime deadline = group->progress_deadline.count();
  if (deadline == 0 || group->placed == 0) return;
  if (group->require_progress_by == 0) group->require_progress_by = now + deadline;
  if (progress.newest_healthy == 0) return;
  group->require_progress_by =
      std::max(group->require_progress_by, progress.newest_healthy + deadline);
}

// Returns whether GROUP must make progress before its deadline.
bool HasDeadline(const GroupProgress& progress, const DeploymentGroup& group) {
  if (group.progress_deadline == Duration(0) || group.require_progress_by == 0) return false;
  if (!GroupProgress::IsPromoted(group)) return !progress.WaitsForPromotion(group);
  return !progress.IsDone(group);
}

// Fails NEXT if a group has an unhealthy allocation that it must not have, or makes no progress.
// Returns whether it has failed.
bool FailIfDue(const DeploymentInput& view, const Groups& groups, Deployment* next,
               DeploymentStep* step) {
  bool unhealthy = false, late = false, reverts_unhealthy = false, reverts_late = false;
  for (const auto& [name, group] : next->groups) {
    const GroupProgress& progress = groups.at(name);
    // Without a deadline, nothing else would end it if one is gone.
    if (group.progress_deadline == Duration(0) && (progress.unhealthy > 0 || progress.gone > 0)) {
      unhealthy = true;
      reverts_unhealthy = reverts_unhealthy || group.auto_revert;
    }
    if (HasDeadline(progress, group) && view.now >= group.require_progress_by) {
      late = true;
      reverts_late = reverts_late || group.auto_revert;
    }
  }
  if (unhealthy) {
    Fail(view, deployment_text::kUnhealthy, reverts_unhealthy, next, step);
  } else if (late) {
    Fail(view, deployment_text::kNoProgress, reverts_late, next, step);
  }
  return unhealthy || late;
}

// Promotes all groups, if each group with canaries wants that and all canaries are healthy.
void PromoteByItself(const Groups& groups, WallTime now, Deployment* next, DeploymentStep* step) {
  for (const auto& [name, group] : next->groups) {
    if (GroupProgress::IsPromoted(group)) continue;
    if (!group.auto_promote || !groups.at(name).WaitsForPromotion(group)) return;
  }
  for (auto& [name, group] : next->groups) {
    if (!GroupProgress::IsPromoted(group)) Promote(groups.at(name), now, &group, step);
  }
}

// Returns whether the change of a group can go on since more of its allocations are healthy.
bool CanGoOn(const GroupProgress& progress, const DeploymentGroup& before,
             const DeploymentGroup& group) {
  if (group.healthy <= before.healthy || !GroupProgress::IsPromoted(group)) return false;
  return progress.has_older || progress.live < group.desired_total;
}

}  // namespace

std::string_view RunningText(const Deployment& deployment) {
  bool waits = false, by_itself = true;
  for (const auto& [name, group] : deployment.groups) {
    if (GroupProgress::IsPromoted(group)) continue;
    waits = true;
    by_itself = by_itself && group.auto_promote;
  }
  if (!waits) return deployment_text::kRunning;
  return by_itself ? deployment_text::kWillPromote : deployment_text::kNeedsPromotion;
}

void Fail(const DeploymentInput& view, std::string_view why, bool reverts, Deployment* next,
          DeploymentStep* step) {
  next->status = deployment_status::kFailed;
  next->status_description = why;
  step->evaluate = true;  // canaries stop
  if (!reverts) return;
  const auto stable = StableBefore(view);
  if (stable == nullptr) {
    next->status_description += deployment_text::kNoStable;
    return;
  }
  // A version that reverts to an older one has the same specification. If it fails in its turn, the
  // older one would fail as well, so it is not tried again. Nor is a stable version before that
  // one: if it failed, too, the job would go back and forth between the two for ever.
  const bool same = SaysTheSame(*stable, *view.job);
  next->status_description +=
      same ? deployment_text::kNotRollingBack : deployment_text::kRollingBack;
  next->status_description += std::to_string(stable->version);
  if (same) {
    next->status_description += deployment_text::kSame;
  } else {
    step->revert_to = stable->version;
  }
}

void Promote(const GroupProgress& progress, WallTime now, DeploymentGroup* group,
             DeploymentStep* step) {
  group->promoted = true;
  // The deadline may have passed while the canaries waited for this.
  if (group->require_progress_by != 0) {
    group->require_progress_by =
        std::max(group->require_progress_by, now + group->progress_deadline.count());
  }
  step->no_canary.insert(step->no_canary.end(), progress.canaries.begin(), progress.canaries.end());
  step->evaluate = true;
}

DeploymentStep GoOn(const DeploymentInput& view, Deployment next, const GivenHealth& given) {
  const Deployment& before = *view.deployment;
  DeploymentStep step;
  step.health = given;
  if (!before.active()) return step;
  if (const std::string_view why = WhyCancelled(view); !why.empty()) {
    next.status = deployment_status::kCancelled;
    next.status_description = why;
    step.changed = std::move(next);
    return step;
  }
  const Groups groups = LookAtGroups(view, given);
  bool done = true;
  for (auto& [name, group] : next.groups) {
    Count(groups.at(name), view.now, &group);
    done = done && groups.at(name).IsDone(group);
  }
  const bool runs = next.status == deployment_status::kRunning;
  if (runs && done) {
    next.status = deployment_status::kSuccessful;
    next.status_description = deployment_text::kSuccessful;
    step.stable = true;
  } else if (runs && !FailIfDue(view, groups, &next, &step)) {
    PromoteByItself(groups, view.now, &next, &step);
    next.status_description = RunningText(next);
    for (const auto& [name, group] : next.groups) {
      const GroupProgress& progress = groups.at(name);
      step.reschedule.insert(step.reschedule.end(), progress.to_replace.begin(),
                             progress.to_replace.end());
      step.evaluate = step.evaluate || CanGoOn(progress, before.groups.at(name), group);
      if (!HasDeadline(progress, group)) continue;
      step.look_again = step.look_again == 0 ? group.require_progress_by
                                             : std::min(step.look_again, group.require_progress_by);
    }
    step.evaluate = step.evaluate || !step.reschedule.empty();
  }
  if (!(next == before)) step.changed = std::move(next);
  return step;
}

DeploymentStep WatchDeployment(const DeploymentInput& view) { return GoOn(view, *view.deployment); }

}  // namespace drover
