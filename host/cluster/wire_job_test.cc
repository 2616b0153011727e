// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_job.h"

#include <gtest/gtest.h>

#include <string>

#include "host/base/base64.h"
#include "host/cluster/wire_alloc_for_test.h"

namespace drover {
namespace {

using nlohmann::json;
using namespace std::string_literals;

// Returns why the group "web" of JOB is refused; empty if it is not.
std::string JobRefusalOf(const json& job) {
  const Result<Job> read = ReadWireJob(job, "web");
  return read.ok() ? "" : read.error().message();
}

json& WebGroup(json& job) { return job["TaskGroups"][1]; }
json& WebTask(json& job) { return WebGroup(job)["Tasks"][0]; }

TEST(WireJob, HasOnlyTheGroupOfTheAllocation) {
  const Result<Job> job = ReadWireJob(WireJobForTest(), "web");
  ASSERT_TRUE(job.ok()) << job.error().message();
  EXPECT_EQ(job->id, "app");
  ASSERT_EQ(job->groups.size(), 1u);
  const TaskGroup& group = job->groups[0];
  EXPECT_EQ(group.name, "web");
  EXPECT_EQ(group.count, 2);
  EXPECT_EQ(group.update.health_check, UpdatePolicy::HealthCheck::kTaskStates);
  ASSERT_EQ(group.services.size(), 1u);
  EXPECT_EQ(group.services[0].name, "web");
  ASSERT_EQ(group.tasks.size(), 1u);
  EXPECT_EQ(group.tasks[0].driver, "raw_exec");
  EXPECT_EQ(group.tasks[0].resources.memory_mb, 64);
  EXPECT_EQ(group.tasks[0].kill_timeout, 5s);
  EXPECT_EQ(group.tasks[0].env.at("A"), "b");
}

TEST(WireJob, MakesWholeNumbersOfTheConfiguration) {
  const Result<Job> job = ReadWireJob(WireJobForTest(), "web");
  ASSERT_TRUE(job.ok()) << job.error().message();
  const std::string& config = job->groups[0].tasks[0].config_json;
  EXPECT_NE(config.find("\"number\":3,"), std::string::npos) << config;
  EXPECT_NE(config.find("\"part\":2.5"), std::string::npos) << config;
}

TEST(WireJob, LeavesToServersWhatTheyCarryOut) {
  json job = WireJobForTest();
  job["Periodic"] = {{"Enabled", true}, {"SpecType", "a new type"}};
  job["Multiregion"] = {{"Regions", {{{"Name", "west"}}}}};
  job["AllAtOnce"] = true;
  WebGroup(job)["Spreads"] = {{{"Attribute", "${node.x}"}, {"Weight", 50}}};
  WebGroup(job)["Scaling"] = {{"ID", "x"}, {"Min", 1}, {"Max", 9}, {"Target", {{"Group", "web"}}}};
  EXPECT_EQ(JobRefusalOf(job), "");
}

TEST(WireJob, NamesTheFieldsThatTheNodeCannotCarryOut) {
  json job = WireJobForTest();
  WebTask(job)["Vault"] = {{"Role", "r"}};
  WebGroup(job)["Services"][0]["Connect"] = {{"Native", true}};
  const std::string refusal = JobRefusalOf(job);
  EXPECT_NE(refusal.find("/TaskGroups/1/Tasks/0/Vault: "), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("/TaskGroups/1/Services/0/Connect: "), std::string::npos) << refusal;
}

TEST(WireJob, RefusesAFieldOfTheFutureOnlyIfItIsSet) {
  json job = WireJobForTest();
  WebTask(job)["Teleport"] = {{"To", ""}, {"Fast", false}};
  EXPECT_EQ(JobRefusalOf(job), "");
  WebTask(job)["Teleport"] = {{"To", "moon"}, {"Fast", false}};
  const std::string refusal = JobRefusalOf(job);
  EXPECT_NE(refusal.find("/TaskGroups/1/Tasks/0/Teleport"), std::string::npos) << refusal;
}

TEST(WireJob, ReadsThePayload) {
  json job = WireJobForTest();
  job["Type"] = "batch";
  job["Update"] = nullptr;
  WebGroup(job)["Update"] = nullptr;
  WebGroup(job)["Migrate"] = nullptr;
  job["ParameterizedJob"] = {
      {"Payload", "required"}, {"MetaRequired", nullptr}, {"MetaOptional", nullptr}};
  job["Dispatched"] = true;
  job["Payload"] = "\x05\x10hello"s;
  const Result<Job> read = ReadWireJob(job, "web");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->payload, Base64("hello"));
  job["Payload"] = "\x05\x10hell"s;
  EXPECT_NE(JobRefusalOf(job).find("/Payload: "), std::string::npos);
  job["Payload"] = 7;
  EXPECT_NE(JobRefusalOf(job).find("/Payload: "), std::string::npos);
}

// A wrong type in whatever field ends with a job or with a refusal.
TEST(WireJob, SurvivesWrongTypesInEachField) {
  const json right = WireJobForTest();
  int refused = 0;
  const json flat = right.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (const json& wrong : {json(-7), json(1e300), json("\xff\xfe"), json::array({json()}),
                              json::object({{"x", 1}}), json(true)}) {
      json job = right;
      job[json::json_pointer(pointer)] = wrong;
      refused += ReadWireJob(job, "web").ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(WireJob, RefusesWhatIsNoJob) {
  EXPECT_NE(JobRefusalOf(json()), "");
  EXPECT_NE(JobRefusalOf(json(7)), "");
  EXPECT_NE(JobRefusalOf(json{{"TaskGroups", 7}}), "");
  EXPECT_NE(JobRefusalOf(json{{"TaskGroups", {1, nullptr, "web"}}}), "");
  EXPECT_NE(ReadWireJob(WireJobForTest(), "no such group").error().message().find("no such group"),
            std::string::npos);
}

}  // namespace
}  // namespace drover
