// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/spec/blocks/scaling_checks.h"
#include "host/spec/blocks/scaling_json.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns a job whose group has SCALING, and whose task has POLICIES.
json ScaledJob(json scaling, json policies = nullptr, const std::string& type = "service") {
  json task = {{"Name", "t"}, {"Driver", "exec"}};
  task["ScalingPolicies"] = std::move(policies);
  json group = {{"Name", "g"}};
  group["Scaling"] = std::move(scaling);
  group["Tasks"] = json::array({std::move(task)});
  json job = {{"ID", "j"}, {"Type", type}};
  job["TaskGroups"] = json::array({std::move(group)});
  return job;
}

std::vector<std::string> ScalingFaults(const json& job) {
  std::vector<JobFault> faults;
  (void)ParseJob(job.dump(), &faults);
  std::vector<std::string> texts;
  for (const JobFault& fault : faults) texts.push_back(fault.pointer + ": " + fault.message);
  return texts;
}

TEST(ScalingTest, PoliciesAreReadAndWrittenAgain) {
  const json body = {{"cooldown", "1m"}, {"check", {{{"load", {{{"query", "x"}}}}}}}};
  const json sent = ScaledJob({{"Min", 1}, {"Max", 5}, {"Enabled", false}, {"Policy", body}},
                              json::array({{{"Type", "vertical_cpu"}, {"Min", 100}, {"Max", 500}},
                                           {{"Type", "vertical_mem"}, {"Max", 512}}}));
  const Result<Job> job = ParseJob(sent.dump());
  ASSERT_TRUE(job.ok()) << job.error().message();
  const ScalingPolicy& policy = *job->groups[0].scaling;
  EXPECT_EQ(policy, (ScalingPolicy{"horizontal", false, 1, 5, body.dump()}));
  EXPECT_EQ(job->groups[0].tasks[0].scaling,
            (std::vector<ScalingPolicy>{{"vertical_cpu", true, 100, 500, ""},
                                        {"vertical_mem", true, 0, 512, ""}}));
  const Result<Job> again = ParseJob(JobToJson(*job));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(*again, *job);
  const json canonical = CanonicalJob(*job, sent);
  EXPECT_EQ(canonical.at("TaskGroups")[0].at("Scaling").at("Policy"), body);
  EXPECT_EQ(CanonicalJob(ParseJob(canonical.dump()).value(), canonical), canonical);
}

TEST(ScalingTest, CountAndMinimumStandInForEachOther) {
  const auto group = [](const json& count, const json& scaling) {
    json job = ScaledJob(scaling);
    job["TaskGroups"][0]["Count"] = count;
    return ParseJob(job.dump()).value().groups[0];
  };
  EXPECT_EQ(group(nullptr, {{"Min", 2}, {"Max", 5}}).count, 2);
  EXPECT_EQ(group(nullptr, {{"Min", 0}, {"Max", 5}}).count, 0);
  EXPECT_EQ(group(3, {{"Min", 2}, {"Max", 5}}).count, 3);
  EXPECT_EQ(group(3, {{"Max", 5}}).scaling->min, 3);
  EXPECT_EQ(group(nullptr, {{"Max", 5}}).count, 1);
  EXPECT_EQ(group(nullptr, {{"Max", 5}}).scaling->min, 1);
}

TEST(ScalingTest, WrongBoundsAreFaults) {
  const std::string at = "/TaskGroups/0/";
  EXPECT_THAT(ScalingFaults(ScaledJob(json::object())),
              ElementsAre(at + "Scaling/Max: maximum count must be specified and non-negative"));
  EXPECT_THAT(ScalingFaults(ScaledJob({{"Max", -1}})),
              ElementsAre(at + "Scaling/Max: maximum count must be specified and non-negative"));
  EXPECT_THAT(ScalingFaults(ScaledJob({{"Min", -1}, {"Max", 3}})),
              ElementsAre(at + "Scaling/Min: must not be negative, but is -1"));
  EXPECT_THAT(
      ScalingFaults(ScaledJob({{"Min", 4}, {"Max", 3}})),
      ElementsAre(at + "Scaling/Max: maximum count must not be less than minimum count: 3 < 4"));
  json job = ScaledJob({{"Min", 2}, {"Max", 3}});
  job["TaskGroups"][0]["Count"] = 4;
  EXPECT_THAT(ScalingFaults(job),
              ElementsAre(at + "Count: task group count must not be greater than maximum count in "
                               "scaling policy: 4 > 3"));
  job["TaskGroups"][0]["Count"] = 1;
  EXPECT_THAT(ScalingFaults(job),
              ElementsAre(at + "Count: task group count must not be less than minimum count in "
                               "scaling policy: 1 < 2"));
  EXPECT_EQ(ScalingFaults(ScaledJob({{"Max", 3'000'000'000}})).size(), 1u);
}

TEST(ScalingTest, TypesFitTheirPlaces) {
  const std::string at = "/TaskGroups/0/", of_task = at + "Tasks/0/ScalingPolicies/";
  EXPECT_THAT(ScalingFaults(ScaledJob({{"Type", "vertical_cpu"}, {"Max", 3}})),
              ElementsAre(at + "Scaling/Type: \"vertical_cpu\" is not valid for a group; write "
                               "horizontal"));
  const json horizontal = {{"Type", "horizontal"}, {"Max", 3}};
  EXPECT_THAT(ScalingFaults(ScaledJob(nullptr, json::array({horizontal}))),
              ElementsAre(of_task + "0/Type: \"horizontal\" is not valid for a task; write "
                                    "vertical_cpu or vertical_mem"));
  const json cpu = {{"Type", "vertical_cpu"}, {"Max", 3}};
  EXPECT_THAT(
      ScalingFaults(ScaledJob(nullptr, json::array({cpu, cpu}))),
      ElementsAre(of_task + "1/Type: \"vertical_cpu\" is already at " + of_task + "0/Type"));
  EXPECT_THAT(ScalingFaults(ScaledJob(nullptr, json::array({{{"Type", "vertical_mem"}}}))),
              ElementsAre(of_task + "0/Max: maximum count must be specified and non-negative"));
}

TEST(ScalingTest, SystemJobsHaveNone) {
  EXPECT_THAT(ScalingFaults(ScaledJob({{"Max", 1}}, nullptr, "system")),
              ElementsAre(std::string("/TaskGroups/0/Scaling: ") + kNoScalingOfSystemJobs));
  const json cpu = json::array({{{"Type", "vertical_cpu"}, {"Max", 3}}});
  EXPECT_THAT(
      ScalingFaults(ScaledJob(nullptr, cpu, "system")),
      ElementsAre(std::string("/TaskGroups/0/Tasks/0/ScalingPolicies: ") + kNoScalingOfSystemJobs));
  EXPECT_THAT(ScalingFaults(ScaledJob({{"Max", 1}}, nullptr, "sysbatch")), IsEmpty());
}

TEST(ScalingTest, WhatAnAnswerHasIsNotPartOfTheJob) {
  const json sent = ScaledJob({{"Max", 3}});
  json read = sent;
  read["TaskGroups"][0]["Scaling"].update({{"ID", "x"},
                                           {"Namespace", "default"},
                                           {"Target", {{"Job", "j"}}},
                                           {"CreateIndex", 7},
                                           {"ModifyIndex", 8}});
  EXPECT_EQ(CanonicalJob(ParseJob(read.dump()).value(), read),
            CanonicalJob(ParseJob(sent.dump()).value(), sent));
}

TEST(ScalingTest, AllPoliciesOfAJobAreDisabledTogether) {
  const json cpu = json::array({{{"Type", "vertical_cpu"}, {"Max", 3}}});
  const json sent = ScaledJob({{"Max", 3}}, cpu);
  Job job = ParseJob(sent.dump()).value();
  json canonical = CanonicalJob(job, sent);
  EXPECT_TRUE(DisableScaling(&job));
  EXPECT_FALSE(job.groups[0].scaling->enabled);
  EXPECT_FALSE(job.groups[0].tasks[0].scaling[0].enabled);
  EXPECT_FALSE(DisableScaling(&job)) << "they are already";
  DisableScaling(&canonical);
  EXPECT_EQ(canonical, CanonicalJob(job, canonical));
  Job other = ParseJob(ScaledJob(nullptr).dump()).value();
  EXPECT_FALSE(DisableScaling(&other));
}

}  // namespace
}  // namespace drover
