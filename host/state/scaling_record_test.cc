// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/scaling_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

Job ScaledJob() {
  Job job;
  job.id = "web";
  TaskGroup& group = job.groups.emplace_back();
  group.name = "g";
  group.scaling = ScalingPolicy{"horizontal", true, 1, 5, ""};
  Task& task = group.tasks.emplace_back();
  task.name = "t";
  task.scaling = {{"vertical_cpu", true, 100, 500, ""}};
  return job;
}

TEST(ScalingRecordTest, AJobWithoutPoliciesHasNone) {
  Job job = ScaledJob();
  const JobScaling before = ScalingOf(job, nullptr, 3);
  job.groups[0].scaling.reset();
  job.groups[0].tasks[0].scaling.clear();
  EXPECT_EQ(ScalingOf(job, nullptr, 3), nullptr);
  EXPECT_EQ(ScalingOf(job, before, 4), nullptr);
}

TEST(ScalingRecordTest, APolicyKeepsItsIdWhileItsTargetAndTypeStay) {
  Job job = ScaledJob();
  const JobScaling first = ScalingOf(job, nullptr, 3);
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0]->create_index, 3u);
  EXPECT_EQ((*first)[0]->task, "");
  EXPECT_EQ((*first)[1]->task, "t");
  EXPECT_NE((*first)[0]->id, (*first)[1]->id);
  EXPECT_EQ(ScalingOf(job, first, 4), first) << "nothing has changed";

  job.groups[0].scaling->max = 9;
  const JobScaling second = ScalingOf(job, first, 5);
  EXPECT_EQ((*second)[0]->id, (*first)[0]->id);
  EXPECT_EQ((*second)[0]->create_index, 3u);
  EXPECT_EQ((*second)[0]->modify_index, 5u);
  EXPECT_EQ((*second)[0]->policy.max, 9);
  EXPECT_EQ((*second)[1], (*first)[1]) << "another policy has not changed";

  job.groups[0].tasks[0].scaling[0].type = "vertical_mem";
  const JobScaling third = ScalingOf(job, second, 6);
  EXPECT_EQ((*third)[0], (*second)[0]);
  EXPECT_NE((*third)[1]->id, (*second)[1]->id);
  EXPECT_EQ((*third)[1]->create_index, 6u);
}

TEST(ScalingRecordTest, WhatTheJobDoesNotHaveIsStored) {
  const Job job = ScaledJob();
  const JobScaling scaling = ScalingOf(job, nullptr, 3);
  const JobScaling read = ReadScaling(job, EncodeScaling(*scaling));
  ASSERT_EQ(read->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*read)[i]->id, (*scaling)[i]->id);
    EXPECT_EQ((*read)[i]->task, (*scaling)[i]->task);
    EXPECT_EQ((*read)[i]->policy, (*scaling)[i]->policy);
    EXPECT_EQ((*read)[i]->modify_index, 3u);
  }
  Job other = job;
  other.groups[0].name = "h";
  EXPECT_EQ(ReadScaling(other, EncodeScaling(*scaling)), nullptr);
  EXPECT_THROW((void)ReadScaling(job, nlohmann::json::parse(R"([{"group": 7}])")),
               nlohmann::json::exception);
}

}  // namespace
}  // namespace drover
