// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/deployment/deployment_watch.h"

// The parts of a step of a deployment, for the files of this room.
namespace drover {

// Verdicts that a request gives, by allocation id. They win over those of the nodes.
using GivenHealth = std::map<std::string, AllocHealth>;

// How far the allocations of one group are in a deployment.
struct GroupProgress {
  int placed = 0;     // by the deployment, or updated in it; also those that have ended
  int healthy = 0;    // of `placed`
  int unhealthy = 0;  // of `placed`
  int live = 0;       // of `placed`, those that are to run, have not ended, and have their place
  int live_healthy = 0;
  int gone = 0;              // of `placed`, those that have ended, and that nothing will replace
  int healthy_canaries = 0;  // of `live_healthy`
  std::vector<std::string> canaries;    // ids of those that are canaries, in order of placement
  std::vector<std::string> to_replace;  // ids for DeploymentStep::reschedule
  WallTime newest_healthy = 0;          // when the newest healthy one became so, or ended
  bool has_older = false;               // an allocation of another version is to run

  // Returns whether nothing of the group is left to change or to wait for.
  bool IsDone(const DeploymentGroup& group) const {
    return IsPromoted(group) && !has_older && live_healthy >= group.desired_total;
  }
  // Returns whether the group waits only for somebody to promote its canaries.
  bool WaitsForPromotion(const DeploymentGroup& group) const {
    return !IsPromoted(group) && healthy_canaries >= group.desired_canaries;
  }
  static bool IsPromoted(const DeploymentGroup& group) {
    return group.promoted || group.desired_canaries == 0;
  }
};
// Looks at the groups that the deployment has.
std::map<std::string, GroupProgress> LookAtGroups(const DeploymentInput& view,
                                                  const GivenHealth& given);

// Goes on with the deployment of VIEW as NEXT, which a request may have changed.
DeploymentStep GoOn(const DeploymentInput& view, Deployment next, const GivenHealth& given = {});

// Makes NEXT a failed deployment because of WHY. With REVERTS, the job goes back to its last stable
// version, if there is one.
void Fail(const DeploymentInput& view, std::string_view why, bool reverts, Deployment* next,
          DeploymentStep* step);

// Promotes the canaries of one group.
void Promote(const GroupProgress& progress, WallTime now, DeploymentGroup* group,
             DeploymentStep* step);

}  // namespace drover
