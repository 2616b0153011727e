// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/stored_changes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/blocks/change_json.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

Job StoredJob(JobType type) {
  Job job;
  job.id = job.name = "j";
  job.type = type;
  TaskGroup& group = job.groups.emplace_back();
  group.name = "g";
  group.reschedule = DefaultReschedulePolicy(type);
  Task& task = group.tasks.emplace_back();
  task.name = "t";
  task.driver = "mock_driver";
  task.config_json = "{}";
  return job;
}

TEST(StoredChangesTest, WhatIsRightStays) {
  for (const JobType type :
       {JobType::kService, JobType::kBatch, JobType::kSystem, JobType::kSysbatch}) {
    const Job before = StoredJob(type);
    Job job = before;
    EXPECT_FALSE(DropWrongChanges(&job));
    EXPECT_EQ(job, before);
  }
  Job job = StoredJob(JobType::kService);
  job.groups[0].rollout.max_parallel = 7;
  job.groups[0].disconnect.lost_after = 1min;
  const Job before = job;
  EXPECT_FALSE(DropWrongChanges(&job));
  EXPECT_EQ(job, before);
}

TEST(StoredChangesTest, EachPolicyThatIsRefusedBecomesTheDefault) {
  Job job = StoredJob(JobType::kService);
  TaskGroup& group = job.groups[0];
  group.update.min_healthy_time = 1s;
  group.rollout.auto_promote = true;
  group.reschedule.attempts = 3;  // and unlimited
  group.disconnect.lost_after = group.disconnect.stop_on_client_after = 1min;
  EXPECT_FALSE(ParseJob(JobToJson(job)).ok());
  bool dropped = false;
  const Result<Job> read = ParseStoredJob(JobToJson(job), &dropped);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_TRUE(dropped);
  EXPECT_EQ(read->groups[0].update.min_healthy_time, 1s);
  EXPECT_EQ(read->groups[0].rollout, RolloutPolicy());
  EXPECT_EQ(read->groups[0].reschedule, ReschedulePolicy());
  EXPECT_EQ(read->groups[0].disconnect, DisconnectPolicy());
}

TEST(StoredChangesTest, ABatchJobHasNoUpdateBlock) {
  Job job = StoredJob(JobType::kBatch);
  job.groups[0].update.min_healthy_time = 1s;
  EXPECT_FALSE(ParseJob(JobToJson(job)).ok());
  bool dropped = false;
  const Result<Job> read = ParseStoredJob(JobToJson(job), &dropped);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_TRUE(dropped);
  EXPECT_EQ(*read, StoredJob(JobType::kBatch));
}

TEST(StoredChangesTest, OtherFaultsStayFaults) {
  Job job = StoredJob(JobType::kService);
  job.groups[0].name = "../g";
  bool dropped = false;
  EXPECT_EQ(ParseStoredJob(JobToJson(job), &dropped).code(), Code::kInvalidArgument);
  EXPECT_FALSE(ParseStoredJob("{", &dropped).ok());
}

TEST(StoredChangesTest, PoliciesAreTakenOverByGroup) {
  Job sent = StoredJob(JobType::kService);
  sent.groups[0].rollout.max_parallel = 7;
  sent.groups[0].update.min_healthy_time = 1s;
  Job job = StoredJob(JobType::kService);
  job.groups.push_back(job.groups[0]);
  job.groups[1].name = "h";
  TakeOverChanges(sent, &job);
  EXPECT_EQ(job.groups[0].rollout.max_parallel, 7);
  EXPECT_EQ(job.groups[0].update, UpdatePolicy());
  EXPECT_EQ(job.groups[1].rollout, RolloutPolicy());
}

TEST(StoredChangesTest, TheirBlocksGoFromJobAndGroups) {
  nlohmann::json json = {
      {"Update", 1}, {"ID", "j"}, {"TaskGroups", {{{"Name", "g"}, {"Disconnect", 1}}, 7}}};
  EraseChanges(&json);
  EXPECT_EQ(json, (nlohmann::json{{"ID", "j"}, {"TaskGroups", {{{"Name", "g"}}, 7}}}));
}

}  // namespace
}  // namespace drover
