// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/periodic_checks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

json StartingJob(const json& blocks) {
  json job = json::parse(R"({"ID": "p", "Type": "batch",
      "TaskGroups": [{"Name": "g", "Tasks": [{"Name": "t", "Driver": "mock_driver"}]}]})");
  job.update(blocks);
  return job;
}

// Returns the faults of a job with BLOCKS, each as "POINTER: MESSAGE".
std::vector<std::string> StartFaults(const json& blocks,
                                     std::vector<JobFault>* warnings = nullptr) {
  std::vector<JobFault> faults;
  (void)ParseJob(StartingJob(blocks).dump(), &faults, nullptr, warnings);
  std::vector<std::string> texts;
  for (const JobFault& fault : faults) texts.push_back(fault.pointer + ": " + fault.message);
  return texts;
}

using Faults = std::vector<std::string>;

TEST(PeriodicChecksTest, BlocksAreReadAndWrittenAsTheyWereSent) {
  for (const json& periodic :
       {json{{"Spec", "@daily"}}, json{{"Specs", {"@daily", "@hourly"}}, {"TimeZone", "Local"}},
        json{{"Specs", {"@daily"}}, {"ProhibitOverlap", true}, {"SpecType", "cron"}},
        json{{"Enabled", false}}}) {
    const json sent = StartingJob({{"Periodic", periodic}});
    const Result<Job> job = ParseJob(sent.dump());
    ASSERT_TRUE(job.ok()) << job.error().message();
    EXPECT_EQ(*ParseJob(JobToJson(*job)), *job) << periodic;
    const json canonical = CanonicalJob(*job, sent);
    const json& block = canonical.at("Periodic");
    for (const auto& [key, value] : periodic.items()) EXPECT_EQ(block.at(key), value);
    EXPECT_EQ(block.at("SpecType"), "cron");
    EXPECT_EQ(block.at("Enabled"), periodic.value("Enabled", true));
    // What a client reads, it may send back, again and again.
    const Result<Job> again = ParseJob(canonical.dump());
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(again->periodic, job->periodic);
    EXPECT_EQ(CanonicalJob(*again, canonical), canonical);
  }
  const json sent =
      StartingJob({{"ParameterizedJob", {{"Payload", "required"}, {"MetaRequired", {"a"}}}}});
  const Result<Job> job = ParseJob(sent.dump());
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(*ParseJob(JobToJson(*job)), *job);
  EXPECT_EQ(CanonicalJob(*job, sent).at("ParameterizedJob").at("Payload"), "required");
}

TEST(PeriodicChecksTest, OnlyBatchJobsStartChildren) {
  for (const char* type : {"service", "system"}) {
    EXPECT_EQ(StartFaults({{"Type", type}, {"Periodic", {{"Spec", "@daily"}}}}),
              Faults{"/Periodic: only batch and sysbatch jobs may be periodic"});
    EXPECT_EQ(StartFaults({{"Type", type}, {"ParameterizedJob", json::object()}}),
              Faults{"/ParameterizedJob: only batch and sysbatch jobs may be parameterized"});
  }
  EXPECT_EQ(StartFaults({{"Type", "sysbatch"}, {"Periodic", {{"Spec", "@daily"}}}}), Faults());
}

TEST(PeriodicChecksTest, AnEnabledBlockNeedsAnExpression) {
  EXPECT_EQ(
      StartFaults({{"Periodic", json::object()}}),
      Faults{"/Periodic/Specs: is missing; write one or more cron expressions, or disable the "
             "block"});
  EXPECT_EQ(StartFaults({{"Periodic", {{"Spec", "@daily"}, {"Specs", {"@daily"}}}}}),
            Faults{"/Periodic/Spec: is there, but so is Specs; write one of them"});
  EXPECT_EQ(StartFaults({{"Periodic", {{"Spec", "@daily"}, {"SpecType", "test"}}}}),
            Faults{"/Periodic/SpecType: is not supported by this version: remove it: there is only "
                   "\"cron\""});
  EXPECT_EQ(StartFaults({{"Periodic", {{"Specs", json(65, "@daily")}}}}),
            Faults{"/Periodic/Specs: has more than 64 expressions"});
}

TEST(PeriodicChecksTest, KeysOfMetadataAreNamedOnce) {
  EXPECT_EQ(StartFaults({{"ParameterizedJob",
                          {{"MetaRequired", {"a", "b"}}, {"MetaOptional", {"c", "a"}}}}}),
            Faults{"/ParameterizedJob/MetaOptional/1: \"a\" is already at "
                   "/ParameterizedJob/MetaRequired/0"});
  EXPECT_EQ(StartFaults({{"ParameterizedJob", {{"MetaRequired", {""}}}}}),
            Faults{"/ParameterizedJob/MetaRequired/0: is missing"});
  EXPECT_EQ(StartFaults({{"ParameterizedJob", {{"Payload", "maybe"}}}}),
            Faults{"/ParameterizedJob/Payload: \"maybe\" is not known; write one of optional, "
                   "required, forbidden"});
}

TEST(PeriodicChecksTest, TheIdLeavesRoomForThoseOfChildren) {
  const auto faults = [](std::size_t length, const json& blocks) {
    json all = blocks;
    all["ID"] = std::string(length, 'x');
    return StartFaults(all);
  };
  const json periodic = {{"Periodic", {{"Spec", "@daily"}}}};
  EXPECT_EQ(faults(108, periodic), Faults());
  EXPECT_EQ(faults(109, periodic),
            Faults{"/ID: is 109 bytes long, to which the ids of its children add 20: that is more "
                   "than 128"});
  EXPECT_EQ(faults(99, {{"ParameterizedJob", json::object()}}), Faults());
  EXPECT_EQ(faults(100, {{"ParameterizedJob", json::object()}}).size(), 1u);
}

TEST(PeriodicChecksTest, APayloadIsAFileBelowTheLocalDirectory) {
  for (const char* good : {"a", "config.json", "a/b/c", ".hidden", "a..b"}) {
    EXPECT_TRUE(IsPayloadFile(good)) << good;
  }
  for (const std::string bad : {"", "/", "/etc/passwd", "..", "../x", "a/../../b", "a/", "a//b",
                                ".", "a/./b", "a\nb", "a/.."}) {
    EXPECT_FALSE(IsPayloadFile(bad)) << bad;
  }
  json job = {{"ParameterizedJob", json::object()}};
  job["TaskGroups"] = json::parse(R"([{"Name": "g", "Tasks": [{"Name": "t",
      "Driver": "mock_driver", "DispatchPayload": {"File": "../secrets/x"}}]}])");
  EXPECT_EQ(StartFaults(job),
            Faults{"/TaskGroups/0/Tasks/0/DispatchPayload/File: \"../secrets/x\" is no file below "
                   "the local directory of the task"});
  job["TaskGroups"][0]["Tasks"][0]["DispatchPayload"]["File"] = "x";
  std::vector<JobFault> warnings;
  EXPECT_EQ(StartFaults(job, &warnings), Faults());
  EXPECT_TRUE(warnings.empty());
  job["ParameterizedJob"] = {{"Payload", "forbidden"}};
  EXPECT_EQ(StartFaults(job, &warnings), Faults());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].message, "has no effect: ParameterizedJob forbids a payload");
  job.erase("ParameterizedJob");
  EXPECT_EQ(StartFaults(job, &warnings), Faults());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].pointer, "/TaskGroups/0/Tasks/0/DispatchPayload");
}

TEST(PeriodicChecksTest, OnlyADispatchMakesADispatchedJob) {
  EXPECT_EQ(StartFaults({{"Dispatched", true}, {"ParentID", "x"}}),
            Faults{"/Dispatched: only a dispatch of a parameterized job makes such a job"});
  // A child that has lost its parent must be readable after a restart, too.
  EXPECT_EQ(StartFaults({{"Dispatched", true}, {"ParameterizedJob", json::object()}}), Faults());
  EXPECT_EQ(StartFaults({{"DispatchIdempotencyToken", "x"}}).size(), 1u);
  EXPECT_EQ(StartFaults({{"Payload", "eA=="}}), Faults{"/Payload: is for dispatched jobs"});
  EXPECT_EQ(StartFaults({{"Payload", 7}}), Faults{"/Payload: must be a text in base64"});
  EXPECT_EQ(StartFaults({{"Payload", std::string(21849, 'x')}}),
            Faults{"/Payload: is larger than 16384 bytes"});
  EXPECT_EQ(StartFaults({{"Payload", nullptr}, {"Dispatched", false}}), Faults());
}

}  // namespace
}  // namespace drover
