// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What clients ask of a deployment.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "host/deployment/progress.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

Error Refused(std::string why) { return {Code::kFailedPrecondition, std::move(why)}; }

Status CheckActive(const DeploymentInput& view, const char* verb) {
  if (view.deployment->active()) return {};
  return Refused(std::string("can't ") + verb + " terminal deployment");
}

// Adds the verdict HEALTHY on the allocations IDS, which are of the job, to GIVEN.
Status Give(const DeploymentInput& view, const std::map<std::string, const AllocRecord*>& of_job,
            const std::vector<std::string>& ids, bool healthy, GivenHealth* given) {
  for (const std::string& id : ids) {
    const auto found = of_job.find(id);
    if (found == of_job.end()) return Refused("unknown alloc \"" + id + "\"");
    if (found->second->alloc->deployment_id != view.deployment->id) {
      return Refused("alloc \"" + id + "\" is not part of deployment \"" + view.deployment->id +
                     "\"");
    }
    const auto [at, is_new] = given->try_emplace(id, AllocHealth{healthy, view.now});
    if (!is_new && at->second.healthy != healthy) {
      return Refused("alloc \"" + id + "\" is named as healthy and as unhealthy");
    }
  }
  return {};
}

}  // namespace

Result<DeploymentStep> PauseDeployment(const DeploymentInput& view, bool pause) {
  DROVER_TRY(CheckActive(view, pause ? "pause" : "resume"));
  Deployment next = *view.deployment;
  const bool is_paused = next.status == deployment_status::kPaused;
  if (pause) {
    next.status = deployment_status::kPaused;
    next.status_description = deployment_text::kPaused;
    return GoOn(view, std::move(next));
  }
  if (!is_paused) return WatchDeployment(view);
  next.status = deployment_status::kRunning;
  // The time of the pause does not count.
  for (auto& [name, group] : next.groups) {
    if (group.require_progress_by == 0) continue;
    group.require_progress_by = view.now + group.progress_deadline.count();
  }
  DeploymentStep step = GoOn(view, std::move(next));
  step.evaluate = true;
  return step;
}

Result<DeploymentStep> PromoteDeployment(const DeploymentInput& view,
                                         const std::vector<std::string>& groups) {
  DROVER_TRY(CheckActive(view, "promote"));
  const std::map<std::string, GroupProgress> progress = LookAtGroups(view, {});
  for (const std::string& name : groups) {
    if (!progress.contains(name)) {
      return Refused("Task group " + Quoted(name) + " is not in the deployment");
    }
  }
  std::vector<std::string> wrong;
  Deployment next = *view.deployment;
  DeploymentStep promoted;
  for (auto& [name, group] : next.groups) {
    const bool wanted = groups.empty() || std::ranges::find(groups, name) != groups.end();
    if (!wanted || GroupProgress::IsPromoted(group)) continue;
    const GroupProgress& of = progress.at(name);
    if (!of.WaitsForPromotion(group)) {
      wrong.push_back("Task group " + Quoted(name) + " has " + std::to_string(of.healthy_canaries) +
                      "/" + std::to_string(group.desired_canaries) + " healthy allocations");
    }
    Promote(of, view.now, &group, &promoted);
  }
  if (wrong.empty() && !promoted.evaluate) wrong.emplace_back("no canaries to promote");
  if (!wrong.empty()) {
    std::string all;
    for (const std::string& one : wrong) all += (all.empty() ? "" : "; ") + one;
    return Refused(std::move(all));
  }
  DeploymentStep step = GoOn(view, std::move(next));
  step.no_canary.insert(step.no_canary.end(), promoted.no_canary.begin(), promoted.no_canary.end());
  step.evaluate = true;
  return step;
}

Result<DeploymentStep> FailDeployment(const DeploymentInput& view) {
  DROVER_TRY(CheckActive(view, "fail"));
  Deployment next = *view.deployment;
  DeploymentStep step;
  const bool reverts =
      std::ranges::any_of(next.groups, [](const auto& group) { return group.second.auto_revert; });
  Fail(view, deployment_text::kByUser, reverts, &next, &step);
  step.changed = std::move(next);
  return step;
}

Result<DeploymentStep> UnblockDeployment(const DeploymentInput& view) {
  DROVER_TRY(CheckActive(view, "unblock"));
  return Refused("can't unblock deployment that is not blocked");
}

Result<DeploymentStep> SetDeploymentHealth(const DeploymentInput& view,
                                           const std::vector<std::string>& healthy,
                                           const std::vector<std::string>& unhealthy) {
  DROVER_TRY(CheckActive(view, "set health of allocations for a"));
  if (healthy.empty() && unhealthy.empty()) {
    return Refused("must specify at least one healthy or unhealthy allocation ID");
  }
  std::map<std::string, const AllocRecord*> of_job;
  for (const auto& record : *view.allocs) of_job[record->id()] = record.get();
  GivenHealth given;
  DROVER_TRY(Give(view, of_job, healthy, true, &given));
  DROVER_TRY(Give(view, of_job, unhealthy, false, &given));
  return GoOn(view, *view.deployment, given);
}

}  // namespace drover
