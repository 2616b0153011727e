// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job.h"

#include <gtest/gtest.h>

#include "host/spec/allocation.h"

namespace drover {
namespace {

TEST(JobTest, FindsGroupsAndTasksByName) {
  Job job;
  job.groups.resize(2);
  job.groups[0].name = "a";
  job.groups[1].name = "b";
  job.groups[1].tasks.resize(1);
  job.groups[1].tasks[0].name = "t";
  EXPECT_EQ(FindGroup(job, "b"), &job.groups[1]);
  EXPECT_EQ(FindGroup(job, "c"), nullptr);
  EXPECT_EQ(FindTask(job.groups[1], "t"), &job.groups[1].tasks[0]);
  EXPECT_EQ(FindTask(job.groups[0], "t"), nullptr);
}

TEST(JobTest, DefaultRestartPolicyDependsOnTheType) {
  const RestartPolicy service = DefaultRestartPolicy(JobType::kService);
  EXPECT_EQ(service.attempts, 2);
  EXPECT_EQ(service.interval, 30min);
  EXPECT_EQ(service.delay, 15s);
  EXPECT_EQ(service.mode, RestartPolicy::Mode::kFail);
  EXPECT_EQ(DefaultRestartPolicy(JobType::kSystem), service);
  const RestartPolicy batch = DefaultRestartPolicy(JobType::kBatch);
  EXPECT_EQ(batch.attempts, 3);
  EXPECT_EQ(batch.interval, 24h);
  EXPECT_EQ(batch.delay, 15s);
  EXPECT_EQ(DefaultRestartPolicy(JobType::kSysbatch), batch);
}

TEST(JobTest, ATaskFollowsItsOwnPolicyBeforeItsGroups) {
  TaskGroup group;
  group.restart_policy.attempts = 7;
  Task task;
  EXPECT_EQ(EffectiveRestartPolicy(group, task).attempts, 7);
  task.restart_policy = RestartPolicy{.attempts = 1};
  EXPECT_EQ(EffectiveRestartPolicy(group, task).attempts, 1);
}

TEST(JobTest, SidecarsAreNeverPoststop) {
  Task task;
  EXPECT_TRUE(IsMain(task));
  task.lifecycle = Lifecycle{.hook = Lifecycle::Hook::kPoststop, .sidecar = true};
  EXPECT_FALSE(IsSidecar(task));
  EXPECT_TRUE(IsPoststop(task));
  task.lifecycle->hook = Lifecycle::Hook::kPoststart;
  EXPECT_TRUE(IsSidecar(task));
}

TEST(JobTest, NamesAreThoseOfTheJson) {
  EXPECT_EQ(JobTypeName(JobType::kSysbatch), "sysbatch");
  EXPECT_EQ(RestartModeName(RestartPolicy::Mode::kDelay), "delay");
  EXPECT_EQ(LifecycleHookName(Lifecycle::Hook::kPoststart), "poststart");
  EXPECT_EQ(HealthCheckName(UpdatePolicy::HealthCheck::kTaskStates), "task_states");
  EXPECT_EQ(DesiredStatusName(DesiredStatus::kEvict), "evict");
  EXPECT_EQ(ClientStatusName(ClientStatus::kComplete), "complete");
}

}  // namespace
}  // namespace drover
