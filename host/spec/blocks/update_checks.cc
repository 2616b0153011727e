// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/update_checks.h"

#include <algorithm>
#include <string>

namespace drover {
namespace {

constexpr int kMostCanaries = 100'000;

void CheckHealth(const UpdatePolicy& health, const JobPlace& at) {
  job_checks::CheckDuration(health.min_healthy_time, at / "MinHealthyTime");
  job_checks::CheckDuration(health.healthy_deadline, at / "HealthyDeadline");
  if (health.min_healthy_time < health.healthy_deadline) return;
  (at / "MinHealthyTime")
      .Fault("must be less than HealthyDeadline, " + FormatDuration(health.healthy_deadline) +
             ", but is " + FormatDuration(health.min_healthy_time));
}

void CheckRollout(const TaskGroup& group, const JobPlace& at) {
  const RolloutPolicy& rollout = group.rollout;
  if (rollout.max_parallel < 0) {
    (at / "MaxParallel")
        .Fault("must not be negative, but is " + std::to_string(rollout.max_parallel));
  }
  if (rollout.canary < 0) {
    (at / "Canary").Fault("must not be negative, but is " + std::to_string(rollout.canary));
  } else {
    job_checks::CheckMost(rollout.canary, kMostCanaries, at / "Canary");
  }
  job_checks::CheckDuration(rollout.stagger, at / "Stagger");
  job_checks::CheckDuration(rollout.progress_deadline, at / "ProgressDeadline");
  if (rollout.max_parallel == 0) return;  // there are no deployments to which the rest applies
  (at / "AutoPromote")
      .Unless(!rollout.auto_promote || rollout.canary > 0,
              "there is nothing to promote; set Canary to 1 or more, or remove it");
  const Duration progress = rollout.progress_deadline;
  if (progress > Duration(0) && progress <= group.update.healthy_deadline) {
    (at / "ProgressDeadline")
        .Fault("must be more than HealthyDeadline, " +
               FormatDuration(group.update.healthy_deadline) + ", or 0, but is " +
               FormatDuration(progress));
  }
  const bool each = std::ranges::any_of(group.volumes,
                                        [](const auto& volume) { return volume.second.per_alloc; });
  (at / "Canary")
      .Unless(rollout.canary == 0 || !each,
              "a canary stands beside the allocation that has its volume: remove PerAlloc of the "
              "volume, or the canaries");
}

// Returns what only one allocation of GROUP at a time can have on a node; empty if nothing.
std::string NeededAlone(const TaskGroup& group) {
  std::string needed;
  const auto add = [&needed](const std::string& one) {
    needed += (needed.empty() ? "" : " and ") + one;
  };
  const auto add_ports = [&add](const std::vector<Network>& networks) {
    for (const Network& network : networks) {
      for (const Port& port : network.reserved_ports) {
        add("the static port " + std::to_string(port.value) + " (\"" + port.label + "\")");
      }
    }
  };
  add_ports(group.networks);
  for (const Task& task : group.tasks) add_ports(task.networks);
  for (const auto& [name, volume] : group.volumes) {
    if (volume.access_mode == access_mode::kSingleWriter && Writes(volume)) {
      add("the only writer's place of the volume \"" + name + "\"");
    }
  }
  return needed;
}

}  // namespace

std::string WhyNoCanaryBeside(JobType type, const TaskGroup& group) {
  const RolloutPolicy& rollout = group.rollout;
  // Those of a system job are the first to take the places of others.
  if (type != JobType::kService || rollout.max_parallel == 0 || rollout.canary == 0) return "";
  const std::string needed = NeededAlone(group);
  if (needed.empty()) return "";
  const bool ends = rollout.progress_deadline > Duration(0);
  return "a canary of the group \"" + group.name +
         "\" cannot run on the node of an allocation that it shall replace, which has " + needed +
         ": without another node it is never placed, and " +
         (ends ? "the deployment fails at its progress deadline"
               : "nothing ends the deployment, which has no progress deadline");
}

void CheckChanges(JobType type, const TaskGroup& group, const JobPlace& at) {
  if (group.migrate_max_parallel < 1) {
    (at / "Migrate" / "MaxParallel")
        .Fault("must be at least 1, but is " + std::to_string(group.migrate_max_parallel));
  }
  CheckHealth(group.migrate_health, at / "Migrate");
  if (type == JobType::kService || type == JobType::kSystem) {
    CheckHealth(group.update, at / "Update");
    CheckRollout(group, at / "Update");
  } else if (!(group.update == UpdatePolicy()) || !(group.rollout == RolloutPolicy())) {
    (at / "Update")
        .Fault("Job type \"" + std::string(JobTypeName(type)) +
               "\" does not allow update block; remove it");
  }
}

}  // namespace drover
