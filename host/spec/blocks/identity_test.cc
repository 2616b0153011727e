// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kJobWithIdentities[] = R"({"ID": "web", "TaskGroups": [
    {"Name": "g", "Tasks": [{"Name": "t", "Driver": "raw_exec",
      "Identity": {"Env": true, "File": true},
      "Identities": [
        {"Name": "cloud", "Audience": ["sts.example.org"], "File": true,
         "Filepath": "local/cloud.jwt", "ChangeMode": "signal", "ChangeSignal": "SIGHUP",
         "TTL": "1h"},
        {"Name": "vault_default", "Audience": ["vault"], "Env": true, "ChangeMode": "restart",
         "TTL": 60000000000}]}]}]})";

constexpr char kAtTask[] = "/TaskGroups/0/Tasks/0";

Job ReadJobOf(const std::string& text) {
  const auto job = ParseJob(text);
  EXPECT_TRUE(job.ok()) << (job.ok() ? "" : job.error().message());
  return job.ok() ? *job : Job{};
}

TEST(IdentityTest, IsReadAndWritten) {
  const Job job = ReadJobOf(kJobWithIdentities);
  const Task& task = job.groups.at(0).tasks.at(0);
  EXPECT_EQ(task.identity.name, "default");
  EXPECT_EQ(task.identity.audience, std::vector<std::string>{"nomadproject.io"});
  EXPECT_TRUE(task.identity.env);
  EXPECT_TRUE(task.identity.file);
  EXPECT_EQ(task.identity.ttl, 0s);
  ASSERT_EQ(task.identities.size(), 2u);
  Identity cloud;
  cloud.name = "cloud";
  cloud.audience = {"sts.example.org"};
  cloud.file = true;
  cloud.filepath = "local/cloud.jwt";
  cloud.change_mode = Identity::ChangeMode::kSignal;
  cloud.change_signal = "SIGHUP";
  cloud.ttl = 1h;
  EXPECT_EQ(task.identities[0], cloud);
  EXPECT_EQ(task.identities[1].ttl, 1min);
  EXPECT_EQ(task.identities[1].change_mode, Identity::ChangeMode::kRestart);
  EXPECT_EQ(ReadJobOf(JobToJson(job)), job);
}

TEST(IdentityTest, ATaskWithoutABlockHasTheDefaultOne) {
  json text = json::parse(kJobWithIdentities);
  text["TaskGroups"][0]["Tasks"][0].erase("Identity");
  text["TaskGroups"][0]["Tasks"][0].erase("Identities");
  const Job job = ReadJobOf(text.dump());
  EXPECT_EQ(job.groups.at(0).tasks.at(0).identity, Identity());
  const json task = json::parse(JobToJson(job))["TaskGroups"][0]["Tasks"][0];
  EXPECT_TRUE(task.at("Identity").is_null());
  EXPECT_TRUE(task.at("Identities").is_null());
}

TEST(IdentityTest, TheNameGivesVariableAndFile) {
  Identity identity;
  EXPECT_EQ(TokenVariable(identity), "NOMAD_TOKEN");
  EXPECT_EQ(TokenFile(identity), "secrets/nomad_token");
  identity.name = "cloud";
  EXPECT_EQ(TokenVariable(identity), "NOMAD_TOKEN_cloud");
  EXPECT_EQ(TokenFile(identity), "secrets/nomad_cloud.jwt");
  identity.filepath = "local/a";
  EXPECT_EQ(TokenFile(identity), "local/a");
}

// A value at a place below the task, and the fault that it gives there.
struct BadIdentity {
  std::string pointer;
  std::string value;
  std::string message;
};
void PrintTo(const BadIdentity& bad, std::ostream* out) { *out << bad.pointer << bad.value; }

class BadIdentityTest : public testing::TestWithParam<BadIdentity> {};

TEST_P(BadIdentityTest, IsRefusedByPointer) {
  json text = json::parse(kJobWithIdentities);
  const std::string place = kAtTask + GetParam().pointer;
  text[json::json_pointer(place)] = json::parse(GetParam().value);
  const auto job = ParseJob(text.dump());
  ASSERT_FALSE(job.ok());
  EXPECT_EQ(job.error().message(), place + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadIdentityTest,
    testing::Values(
        BadIdentity{"/Identity/Name", R"("other")",
                    ": \"other\" is not \"default\": write this identity under Identities"},
        BadIdentity{"/Identities/0/Name", R"("")", ": is missing"},
        BadIdentity{"/Identities/0/Name", R"("default")",
                    ": write the identity \"default\" under Identity"},
        BadIdentity{"/Identities/0/Name", R"("a/b")",
                    ": \"a/b\" may hold only letters, digits, \"-\" and \"_\""},
        BadIdentity{"/Identities/0/Name", "\"" + std::string(129, 'x') + "\"",
                    ": is longer than 128 bytes"},
        BadIdentity{"/Identities/1/Name", R"("cloud")",
                    ": \"cloud\" is already at /TaskGroups/0/Tasks/0/Identities/0"},
        BadIdentity{"/Identities/0/Audience/0", R"("")", ": is missing"},
        BadIdentity{"/Identities/0/Audience/0", R"("a\nb")",
                    ": \"a\\x0ab\" holds a control character or an invisible one"},
        BadIdentity{"/Identities/0/Audience", json(std::vector<std::string>(17, "a")).dump(),
                    ": must hold at most 16 texts"},
        BadIdentity{"/Identities/1/ChangeMode", R"("script")",
                    ": \"script\" is not known; write one of noop, signal, restart"},
        BadIdentity{"/Identities/0/ChangeSignal", R"("")",
                    ": is missing: ChangeMode is \"signal\""},
        BadIdentity{"/Identities/0/ChangeSignal", R"("HUP")",
                    ": \"HUP\" is not a signal, such as \"SIGHUP\""},
        BadIdentity{"/Identities/1/ChangeSignal", R"("SIGHUP")",
                    ": is only for the ChangeMode \"signal\""},
        BadIdentity{"/Identities/0/TTL", "-1", ": must not be negative, but is -1ns"},
        BadIdentity{"/Identities/0/TTL", R"("876001h")",
                    ": must be at most 876000h0m0s (100 years), but is 876001h0m0s"},
        BadIdentity{"/Identities/0/Filepath", R"("/etc/passwd")",
                    ": \"/etc/passwd\" must be relative to the task's directory"},
        BadIdentity{"/Identities/0/Filepath", R"("local/../../x")",
                    ": \"local/../../x\" holds an empty part, \".\" or \"..\""},
        BadIdentity{"/Identities/0/Filepath", R"("local/")",
                    ": \"local/\" holds an empty part, \".\" or \"..\""},
        BadIdentity{"/Identities/0/Filepath", R"("secrets/nomad_token")",
                    ": the file \"secrets/nomad_token\" is already that of "
                    "/TaskGroups/0/Tasks/0/Identity"}));

TEST(IdentityTest, ATaskHasAFewIdentities) {
  json text = json::parse(kJobWithIdentities);
  json& list = text["TaskGroups"][0]["Tasks"][0]["Identities"];
  list = json::array();
  for (int i = 0; i < 33; ++i) {
    list.push_back({{"Name", "i" + std::to_string(i)}, {"Audience", {"x", "y"}}});
  }
  const auto job = ParseJob(text.dump());
  ASSERT_FALSE(job.ok());
  EXPECT_EQ(job.error().message(),
            std::string(kAtTask) + "/Identities: must hold at most 32 identities, but holds 33");
}

TEST(IdentityTest, WhatIsOfLittleUseIsWarnedOf) {
  std::vector<JobFault> warnings;
  EXPECT_TRUE(ParseJob(kJobWithIdentities, nullptr, nullptr, &warnings).ok());
  EXPECT_THAT(warnings, IsEmpty());
  json text = json::parse(kJobWithIdentities);
  json& task = text["TaskGroups"][0]["Tasks"][0];
  task["Identities"] = {{{"Name", "a"}, {"Filepath", "local/x"}},
                        {{"Name", "b"}, {"Audience", {"x", "y"}}, {"Env", true}, {"TTL", "15s"}}};
  EXPECT_TRUE(ParseJob(text.dump(), nullptr, nullptr, &warnings).ok());
  std::vector<std::string> places;
  for (const JobFault& warning : warnings) places.push_back(warning.pointer);
  const std::string list = std::string(kAtTask) + "/Identities";
  EXPECT_THAT(places, ElementsAre(list + "/0/Filepath", list + "/0/Audience", list + "/1/TTL",
                                  list + "/1/Env"));
}

}  // namespace
}  // namespace drover
