// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/canonical_job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

json Minimal(const std::string& type) {
  return {
      {"ID", "web"},
      {"Type", type},
      {"TaskGroups", {{{"Name", "g"}, {"Tasks", {{{"Name", "t"}, {"Driver", "mock_driver"}}}}}}}};
}

// Also checks that the canonical job can be registered again, and is the same then.
json Canonical(const json& sent) {
  const Result<Job> job = ParseJob(sent.dump());
  EXPECT_TRUE(job.ok()) << job.error().message();
  if (!job.ok()) return {};
  json told = CanonicalJob(*job, sent);
  const Result<Job> again = ParseJob(told.dump());
  EXPECT_TRUE(again.ok()) << again.error().message();
  if (again.ok()) EXPECT_EQ(CanonicalJob(*again, told), told);
  return told;
}

constexpr std::int64_t kSecond = 1'000'000'000;

const json kUpdate = {{"Stagger", 30 * kSecond},
                      {"MaxParallel", 1},
                      {"HealthCheck", "checks"},
                      {"MinHealthyTime", 10 * kSecond},
                      {"HealthyDeadline", 300 * kSecond},
                      {"ProgressDeadline", 600 * kSecond},
                      {"AutoRevert", false},
                      {"Canary", 0},
                      {"AutoPromote", false}};
// The job itself keeps only these two fields of its block.
json UpdateOfJob(std::int64_t stagger, int max_parallel) {
  return {{"Stagger", stagger},   {"MaxParallel", max_parallel},
          {"HealthCheck", ""},    {"MinHealthyTime", 0},
          {"HealthyDeadline", 0}, {"ProgressDeadline", 0},
          {"AutoRevert", false},  {"Canary", 0},
          {"AutoPromote", false}};
}

TEST(CanonicalJobTest, EveryFieldThatClientsReadByPointerIsThere) {
  const json job = Canonical(Minimal("service"));
  const json zeros = {{"AllAtOnce", false},  {"ConsulNamespace", ""}, {"VaultNamespace", ""},
                      {"Dispatched", false}, {"ParentID", ""},        {"NodePool", "default"}};
  for (const auto& [field, value] : zeros.items()) EXPECT_EQ(job.at(field), value) << field;
  for (const char* field : {"Affinities", "Constraints", "Multiregion", "ParameterizedJob",
                            "Payload", "Periodic", "Spreads", "Meta", "UI"}) {
    EXPECT_TRUE(job.at(field).is_null()) << field;
  }
  for (const char* field : {"Status", "Version", "Stop", "ModifyIndex"}) {
    EXPECT_FALSE(job.contains(field)) << field << " is the server's";
  }
  const json& group = job.at("TaskGroups").at(0);
  EXPECT_EQ(group.at("EphemeralDisk"),
            json({{"SizeMB", 300}, {"Sticky", false}, {"Migrate", false}}));
  for (const char* field : {"Consul", "Disconnect", "MaxClientDisconnect", "MaxRunDuration",
                            "Scaling", "Services", "StopAfterClientDisconnect", "Volumes"}) {
    EXPECT_TRUE(group.at(field).is_null()) << field;
  }
  EXPECT_EQ(group.at("PreventRescheduleOnLost"), false);
  const json& task = group.at("Tasks").at(0);
  EXPECT_EQ(task.at("Resources"), json({{"CPU", 100},
                                        {"Cores", 0},
                                        {"MemoryMB", 300},
                                        {"MemoryMaxMB", 0},
                                        {"DiskMB", 0},
                                        {"IOPS", 0},
                                        {"SecretsMB", 0},
                                        {"Networks", nullptr},
                                        {"Devices", nullptr},
                                        {"NUMA", nullptr}}));
  EXPECT_EQ(task.at("LogConfig"),
            json({{"MaxFiles", 10}, {"MaxFileSizeMB", 10}, {"Disabled", false}}));
  EXPECT_EQ(task.at("RestartPolicy"), group.at("RestartPolicy"));
  EXPECT_EQ(task.at("RestartPolicy").at("RenderTemplates"), false);
  for (const char* field : {"Artifacts", "DispatchPayload", "Identity", "Lifecycle", "Templates",
                            "Vault", "VolumeMounts"}) {
    EXPECT_TRUE(task.at(field).is_null()) << field;
  }
}

TEST(CanonicalJobTest, PoliciesAreThoseOfTheType) {
  const auto group = [](const char* type) { return Canonical(Minimal(type)).at("TaskGroups")[0]; };
  EXPECT_EQ(Canonical(Minimal("service")).at("Update"), UpdateOfJob(30 * kSecond, 1));
  EXPECT_EQ(Canonical(Minimal("batch")).at("Update"), UpdateOfJob(0, 0));
  EXPECT_EQ(group("service").at("Update"), kUpdate);
  EXPECT_EQ(group("system").at("Update"), kUpdate);
  EXPECT_EQ(group("batch").at("Update"), nullptr);
  EXPECT_EQ(group("sysbatch").at("Update"), nullptr);
  EXPECT_EQ(group("service").at("Migrate"), json({{"MaxParallel", 1},
                                                  {"HealthCheck", "checks"},
                                                  {"MinHealthyTime", 10 * kSecond},
                                                  {"HealthyDeadline", 300 * kSecond}}));
  for (const char* type : {"batch", "system", "sysbatch"}) {
    EXPECT_EQ(group(type).at("Migrate"), nullptr) << type;
  }
  EXPECT_EQ(group("service").at("ReschedulePolicy"), json({{"Attempts", 0},
                                                           {"Interval", 0},
                                                           {"Delay", 30 * kSecond},
                                                           {"DelayFunction", "exponential"},
                                                           {"MaxDelay", 3600 * kSecond},
                                                           {"Unlimited", true}}));
  EXPECT_EQ(group("batch").at("ReschedulePolicy"), json({{"Attempts", 1},
                                                         {"Interval", 86400 * kSecond},
                                                         {"Delay", 5 * kSecond},
                                                         {"DelayFunction", "constant"},
                                                         {"MaxDelay", 0},
                                                         {"Unlimited", false}}));
  EXPECT_EQ(group("system").at("ReschedulePolicy"), nullptr);
  EXPECT_EQ(group("sysbatch").at("ReschedulePolicy"), nullptr);
}

TEST(CanonicalJobTest, ABlockOfZerosMeansThatThereAreNoDeployments) {
  json sent = Minimal("service");
  sent["Update"] = json::object();
  EXPECT_EQ(Canonical(sent).at("Update"), UpdateOfJob(30 * kSecond, 1)) << "it says nothing";
  EXPECT_EQ(Canonical(sent).at("TaskGroups")[0].at("Update"), kUpdate);
  sent["Update"] = {{"MaxParallel", 0}};
  EXPECT_EQ(Canonical(sent).at("Update"), UpdateOfJob(0, 0));
  EXPECT_EQ(Canonical(sent).at("TaskGroups")[0].at("Update").at("MaxParallel"), 0);
  sent["Update"] = {{"MaxParallel", 0}, {"MinHealthyTime", "1s"}};
  EXPECT_EQ(Canonical(sent).at("TaskGroups")[0].at("Update").at("MaxParallel"), 0);
}

TEST(CanonicalJobTest, WhatTheJobSaysIsMergedIntoItsGroups) {
  json sent = Minimal("service");
  sent["Update"] = {{"MaxParallel", 2}, {"MinHealthyTime", "20s"}, {"HealthCheck", ""}};
  sent["Migrate"] = {{"MaxParallel", 3}, {"HealthCheck", "task_states"}};
  sent["Reschedule"] = {{"Delay", "7s"}, {"Interval", "10m"}, {"Unlimited", false}};
  sent["TaskGroups"].push_back(sent["TaskGroups"][0]);
  json& other = sent["TaskGroups"][1];
  other["Name"] = "h";
  other["Update"] = {{"MinHealthyTime", "40s"}};
  other["Migrate"] = {{"MaxParallel", 4}};
  other["ReschedulePolicy"] = {{"Attempts", 5}, {"Delay", nullptr}};
  other["RestartPolicy"] = {{"Attempts", 1}};
  other["Tasks"].push_back(other["Tasks"][0]);
  other["Tasks"][1]["Name"] = "u";
  other["Tasks"][1]["RestartPolicy"] = {{"Delay", "1s"}};
  const json job = Canonical(sent);
  EXPECT_EQ(job.at("Update"), UpdateOfJob(30 * kSecond, 2));
  EXPECT_EQ(job.at("Migrate"), nullptr);
  EXPECT_EQ(job.at("Reschedule"), nullptr);
  const json &first = job.at("TaskGroups")[0], &second = job.at("TaskGroups")[1];
  EXPECT_EQ(first.at("Update").at("MaxParallel"), 2);
  EXPECT_EQ(first.at("Update").at("MinHealthyTime"), 20 * kSecond);
  EXPECT_EQ(first.at("Update").at("HealthCheck"), "checks");
  EXPECT_EQ(second.at("Update").at("MaxParallel"), 2);
  EXPECT_EQ(second.at("Update").at("MinHealthyTime"), 40 * kSecond);
  EXPECT_EQ(first.at("Migrate").at("MaxParallel"), 3);
  EXPECT_EQ(second.at("Migrate").at("MaxParallel"), 4);
  EXPECT_EQ(second.at("Migrate").at("HealthCheck"), "task_states");
  EXPECT_EQ(first.at("ReschedulePolicy").at("Delay"), 7 * kSecond);
  EXPECT_EQ(second.at("ReschedulePolicy").at("Delay"), 7 * kSecond);
  EXPECT_EQ(second.at("ReschedulePolicy").at("Attempts"), 5);
  EXPECT_EQ(second.at("ReschedulePolicy").at("Unlimited"), false);
  EXPECT_EQ(second.at("Tasks")[0].at("RestartPolicy").at("Attempts"), 1);
  EXPECT_EQ(second.at("Tasks")[1].at("RestartPolicy").at("Attempts"), 1);
  EXPECT_EQ(second.at("Tasks")[1].at("RestartPolicy").at("Delay"), kSecond);
}

TEST(CanonicalJobTest, WhatAClientHasSentIsTold) {
  json sent = Minimal("service");
  sent["Affinities"] = {{{"LTarget", "a"}}};
  sent["TaskGroups"][0]["Spreads"] = {{{"Attribute", "b"}, {"Weight", 7}}};
  sent["TaskGroups"][0]["Services"] = {{{"PortLabel", "db"}},
                                       {{"Name", "own"}, {"Provider", "nomad"}}};
  sent["TaskGroups"][0]["Networks"] = {{{"DynamicPorts", {{{"Label", "db"}, {"To", 6379}}}}}};
  sent["TaskGroups"][0]["MaxClientDisconnect"] = "1h";
  json& task = sent["TaskGroups"][0]["Tasks"][0];
  task["Services"] = {{{"Name", ""}}};
  task["Identity"] = {{"Env", true}, {"File", true}};
  task["LogConfig"] = {{"Enabled", false}};
  const json job = Canonical(sent);
  EXPECT_EQ(job.at("Affinities")[0],
            json({{"LTarget", "a"}, {"RTarget", ""}, {"Operand", "="}, {"Weight", 50}}));
  const json& group = job.at("TaskGroups")[0];
  EXPECT_EQ(group.at("Spreads")[0].at("Weight"), 7);
  EXPECT_EQ(group.at("MaxClientDisconnect"), 3600 * kSecond);
  EXPECT_EQ(group.at("Services")[0].at("Name"), "web-g");
  EXPECT_EQ(group.at("Services")[0].at("Provider"), "consul");
  EXPECT_EQ(group.at("Services")[0].at("OnUpdate"), "require_healthy");
  EXPECT_EQ(group.at("Services")[1].at("Name"), "own");
  EXPECT_EQ(group.at("Services")[1].at("Provider"), "nomad");
  EXPECT_EQ(group.at("Tasks")[0].at("Services")[0].at("Name"), "web-g-t");
  EXPECT_EQ(group.at("Networks")[0].at("DynamicPorts")[0].at("HostNetwork"), "default");
  EXPECT_EQ(group.at("Networks")[0].at("DynamicPorts")[0].at("To"), 6379);
  EXPECT_EQ(group.at("Tasks")[0].at("Identity").at("Env"), true);
  EXPECT_EQ(group.at("Tasks")[0].at("Identity").at("Name"), "default");
  EXPECT_EQ(group.at("Tasks")[0].at("LogConfig").at("Disabled"), true);
}

}  // namespace
}  // namespace drover
