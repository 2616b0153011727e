// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"

namespace drover {

// The statuses of a deployment. The first four are active: the deployment still decides how its
// job changes.
namespace deployment_status {
inline constexpr std::string_view kRunning = "running";
inline constexpr std::string_view kPaused = "paused";
inline constexpr std::string_view kPending = "pending";  // of multi-region jobs, never made here
inline constexpr std::string_view kBlocked = "blocked";  // the same
inline constexpr std::string_view kSuccessful = "successful";
inline constexpr std::string_view kFailed = "failed";
inline constexpr std::string_view kCancelled = "cancelled";
}  // namespace deployment_status

// The progress of one group in a deployment.
struct DeploymentGroup {
  bool auto_revert = false;
  bool auto_promote = false;
  bool promoted = false;  // also true from the start if there are no canaries
  Duration progress_deadline{0};
  WallTime require_progress_by = 0;          // 0 until the first allocation is placed
  std::vector<std::string> placed_canaries;  // ids, in the order of placement
  int desired_canaries = 0;
  int desired_total = 0;
  int placed = 0;  // allocations that the deployment has placed or updated
  int healthy = 0;
  int unhealthy = 0;

  bool operator==(const DeploymentGroup&) const = default;
};

// The change of a job from one version to the next, group by group.
struct Deployment {
  std::string id;
  std::string job_namespace;
  std::string job_id;
  std::uint64_t job_version = 0;
  // Of the version: they tell a purged job from a later one of the same id.
  std::uint64_t job_modify_index = 0;
  std::uint64_t job_create_index = 0;
  std::map<std::string, DeploymentGroup> groups;
  std::string status{deployment_status::kRunning};
  std::string status_description;
  int eval_priority = 0;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  bool active() const {
    using namespace deployment_status;
    return status == kRunning || status == kPaused || status == kPending || status == kBlocked;
  }
  bool has_unpromoted_canaries() const {
    return std::ranges::any_of(groups, [](const auto& group) {
      return group.second.desired_canaries > 0 && !group.second.promoted;
    });
  }
  bool operator==(const Deployment&) const = default;
};

}  // namespace drover
