// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/state/tables.h"

namespace drover {

// What a deployment depends on. The pointers must not be null, and must outlive the call.
struct DeploymentInput {
  const Deployment* deployment = nullptr;
  const JobRecord* job = nullptr;  // the newest version
  const JobAllocs* allocs = nullptr;
  const std::map<std::uint64_t, std::shared_ptr<const JobRecord>>* versions = nullptr;
  WallTime now = 0;
  // If not null: what runs on a node that takes no new allocations does not hold the end of a
  // deployment of a system job.
  const std::map<std::string, std::shared_ptr<const NodeRecord>>* nodes = nullptr;
  // Whether an allocation that has failed gets a replacement, now or later. If this function is
  // empty, each does.
  std::function<bool(const AllocRecord& record)> is_replaced = {};
};

// What must happen with a deployment. The caller makes all of it durable in one write.
struct DeploymentStep {
  std::optional<Deployment> changed;       // absent if nothing changes
  bool evaluate = false;                   // the job must be evaluated, cause "deployment-watcher"
  std::optional<std::uint64_t> revert_to;  // register this version of the job anew
  bool stable = false;                     // the version of the deployment has become stable
  WallTime look_again = 0;                 // when time alone can change it; 0 if it cannot
  std::vector<std::string> no_canary;      // ids of allocations that are canaries no longer
  // Ids of unhealthy allocations that still run, which their reschedule policy may replace: they
  // get AllocRecord::reschedule.
  std::vector<std::string> reschedule;
  std::map<std::string, AllocHealth> health;  // verdicts that a request gives, by allocation id
};

// Counts the health of allocations, moves deadlines, promotes by itself, ends the deployment. Call
// it after each change of the deployment's allocations, after a registration or a stop of its job,
// and when `look_again` has come. Does nothing once the deployment has ended. [pure]
DeploymentStep WatchDeployment(const DeploymentInput& view);

// The requests. Error kFailedPrecondition: the deployment or its allocations do not allow it, such
// as "can't pause terminal deployment".
Result<DeploymentStep> PauseDeployment(const DeploymentInput& view, bool pause);
// GROUPS empty: all that have canaries. It is an error if a group lacks healthy canaries.
Result<DeploymentStep> PromoteDeployment(const DeploymentInput& view,
                                         const std::vector<std::string>& groups);
Result<DeploymentStep> FailDeployment(const DeploymentInput& view);
// There are no blocked deployments, since there is one region. So this is always an error.
Result<DeploymentStep> UnblockDeployment(const DeploymentInput& view);
// Gives allocations their verdict, whatever their node says.
Result<DeploymentStep> SetDeploymentHealth(const DeploymentInput& view,
                                           const std::vector<std::string>& healthy,
                                           const std::vector<std::string>& unhealthy);

// Returns the description of a running deployment: what it waits for.
std::string_view RunningText(const Deployment& deployment);

// Returns the newest stable version before that of the deployment; null if there is none.
std::shared_ptr<const JobRecord> StableBefore(const DeploymentInput& view);
// Returns whether the specifications of two versions of a job are the same.
bool SaysTheSame(const JobRecord& a, const JobRecord& b);

namespace deployment_text {
inline constexpr std::string_view kRunning = "Deployment is running";
inline constexpr std::string_view kNeedsPromotion =
    "Deployment is running but requires manual promotion";
inline constexpr std::string_view kWillPromote =
    "Deployment is running pending automatic promotion";
inline constexpr std::string_view kPaused = "Deployment is paused";
inline constexpr std::string_view kSuccessful = "Deployment completed successfully";
inline constexpr std::string_view kJobStopped = "Cancelled because job is stopped";
inline constexpr std::string_view kNewerJob = "Cancelled due to newer version of job";
inline constexpr std::string_view kUnhealthy = "Failed due to unhealthy allocations";
inline constexpr std::string_view kNoProgress = "Failed due to progress deadline";
inline constexpr std::string_view kByUser = "Deployment marked as failed";
// Appended when it fails and auto_revert is set; the first two are followed by the version, and the
// second one then by the third.
inline constexpr std::string_view kRollingBack = " - rolling back to job version ";
inline constexpr std::string_view kNotRollingBack = " - not rolling back to stable job version ";
inline constexpr std::string_view kSame = " as current job has same specification";
inline constexpr std::string_view kNoStable = " - no stable job version to auto revert to";
}  // namespace deployment_text

}  // namespace drover
