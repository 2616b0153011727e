// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/update_checks.h"

#include <gtest/gtest.h>

#include <functional>

namespace drover {
namespace {

// Returns the faults of a group after CHANGE.
std::string UpdateFaults(JobType type, const std::function<void(TaskGroup*)>& change) {
  TaskGroup group;
  change(&group);
  JobFaults faults;
  CheckChanges(type, group, JobPlace("/g", &faults));
  std::string text;
  for (const JobFault& fault : faults.list()) text += fault.pointer + ": " + fault.message + "\n";
  return text;
}
std::string OfService(const std::function<void(TaskGroup*)>& change) {
  return UpdateFaults(JobType::kService, change);
}

TEST(UpdateChecksTest, TheDefaultsAreRight) {
  for (const JobType type :
       {JobType::kService, JobType::kSystem, JobType::kBatch, JobType::kSysbatch}) {
    EXPECT_EQ(UpdateFaults(type, [](TaskGroup*) {}), "");
  }
}

TEST(UpdateChecksTest, OnlyServiceAndSystemJobsHaveAnUpdateBlock) {
  EXPECT_EQ(
      UpdateFaults(JobType::kBatch, [](TaskGroup* group) { group->rollout.max_parallel = 2; }),
      "/g/Update: Job type \"batch\" does not allow update block; remove it\n");
  EXPECT_EQ(UpdateFaults(JobType::kSysbatch,
                         [](TaskGroup* group) { group->update.min_healthy_time = 1s; }),
            "/g/Update: Job type \"sysbatch\" does not allow update block; remove it\n");
  EXPECT_EQ(UpdateFaults(JobType::kSystem, [](TaskGroup* group) { group->rollout.canary = 1; }),
            "");
}

TEST(UpdateChecksTest, NothingIsNegative) {
  EXPECT_EQ(OfService([](TaskGroup* group) {
              group->rollout.max_parallel = -1;
              group->rollout.canary = -2;
            }),
            "/g/Update/MaxParallel: must not be negative, but is -1\n"
            "/g/Update/Canary: must not be negative, but is -2\n");
  EXPECT_NE(OfService([](TaskGroup* group) { group->rollout.stagger = -1s; }), "");
  EXPECT_NE(OfService([](TaskGroup* group) { group->rollout.progress_deadline = -1s; }), "");
  EXPECT_NE(OfService([](TaskGroup* group) { group->rollout.canary = 100'001; }), "");
}

TEST(UpdateChecksTest, DeadlinesFollowEachOther) {
  EXPECT_EQ(OfService([](TaskGroup* group) { group->update.min_healthy_time = 5min; }),
            "/g/Update/MinHealthyTime: must be less than HealthyDeadline, 5m0s, but is 5m0s\n");
  EXPECT_EQ(OfService([](TaskGroup* group) { group->rollout.progress_deadline = 5min; }),
            "/g/Update/ProgressDeadline: must be more than HealthyDeadline, 5m0s, or 0, but is "
            "5m0s\n");
  EXPECT_EQ(OfService([](TaskGroup* group) { group->rollout.progress_deadline = 0s; }), "");
  EXPECT_EQ(OfService([](TaskGroup* group) {
              group->rollout.progress_deadline = 5min;
              group->rollout.max_parallel = 0;
            }),
            "");
  EXPECT_EQ(OfService([](TaskGroup* group) { group->migrate_health.healthy_deadline = 1s; }),
            "/g/Migrate/MinHealthyTime: must be less than HealthyDeadline, 1s, but is 10s\n");
}

TEST(UpdateChecksTest, CanariesMustBePossible) {
  EXPECT_EQ(OfService([](TaskGroup* group) { group->rollout.auto_promote = true; }),
            "/g/Update/AutoPromote: there is nothing to promote; set Canary to 1 or more, or "
            "remove it\n");
  const auto each = [](TaskGroup* group) {
    group->rollout.canary = 1;
    group->volumes["data"].per_alloc = true;
  };
  EXPECT_EQ(OfService(each),
            "/g/Update/Canary: a canary stands beside the allocation that has its volume: remove "
            "PerAlloc of the volume, or the canaries\n");
}

TEST(UpdateChecksTest, WhatOnlyOneCanHaveHasNoCanaryBesideIt) {
  const auto why = [](JobType type, int canary, const std::function<void(TaskGroup*)>& change) {
    TaskGroup group;
    group.name = "g";
    group.rollout.canary = canary;
    change(&group);
    return WhyNoCanaryBeside(type, group);
  };
  const auto port = [](TaskGroup* group) {
    group->networks.emplace_back().reserved_ports.push_back({"http", 8080, 0, ""});
  };
  EXPECT_EQ(why(JobType::kService, 1, port),
            "a canary of the group \"g\" cannot run on the node of an allocation that it shall "
            "replace, which has the static port 8080 (\"http\"): without another node it is never "
            "placed, and the deployment fails at its progress deadline");
  EXPECT_EQ(why(JobType::kService, 0, port), "");
  EXPECT_EQ(why(JobType::kSystem, 1, port), "");
  EXPECT_EQ(why(JobType::kService, 1,
                [](TaskGroup* group) {
                  group->networks.emplace_back().dynamic_ports.push_back({"http", 0, 0, ""});
                  group->volumes["logs"].access_mode = access_mode::kMultiWriter;
                }),
            "");
  const std::string volume = why(JobType::kService, 1, [](TaskGroup* group) {
    group->volumes["data"].access_mode = access_mode::kSingleWriter;
    group->rollout.progress_deadline = 0s;
  });
  EXPECT_NE(volume.find("volume \"data\""), std::string::npos) << volume;
  EXPECT_NE(volume.find("nothing ends the deployment"), std::string::npos) << volume;
}

}  // namespace
}  // namespace drover
