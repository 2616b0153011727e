// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/task_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kAt[] = "/TaskGroups/0/Tasks/0/Templates/0";

json JobWithTemplates(json templates) {
  json job = json::parse(R"({"ID": "web", "TaskGroups": [
      {"Name": "g", "Tasks": [{"Name": "t", "Driver": "raw_exec"}]}]})");
  job["TaskGroups"][0]["Tasks"][0]["Templates"] = std::move(templates);
  return job;
}

json Small() { return {{"EmbeddedTmpl", "x"}, {"DestPath", "local/a"}}; }

std::vector<std::string> FaultsOf(const json& one, std::vector<JobFault>* warnings = nullptr) {
  std::vector<JobFault> faults;
  (void)ParseJob(JobWithTemplates(json::array({one})).dump(), &faults, nullptr, warnings);
  std::vector<std::string> texts;
  for (const JobFault& fault : faults) {
    EXPECT_TRUE(fault.pointer.starts_with(kAt)) << fault.pointer;
    texts.push_back(fault.pointer.substr(std::string(kAt).size()) + ": " + fault.message);
  }
  return texts;
}

Job ReadWithTemplates(const json& job) {
  const auto read = ParseJob(job.dump());
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message());
  return read.ok() ? *read : Job{};
}

TEST(TaskTemplateTest, IsReadAndWritten) {
  const json all = {{"SourcePath", "local/a.tpl"},
                    {"DestPath", "secrets/a.env"},
                    {"ChangeMode", "script"},
                    {"ChangeScript",
                     {{"Command", "/bin/reload"},
                      {"Args", {"-q"}},
                      {"Timeout", "20s"},
                      {"FailOnError", true},
                      {"RunOnFirstRender", true}}},
                    {"Once", true},
                    {"Splay", "0s"},
                    {"Perms", "600"},
                    {"Uid", 1000},
                    {"Gid", 100},
                    {"LeftDelim", "<<"},
                    {"RightDelim", ">>"},
                    {"Envvars", true},
                    {"Wait", {{"Min", "2s"}, {"Max", "30s"}}},
                    {"ErrMissingKey", true}};
  const Job job = ReadWithTemplates(JobWithTemplates(json::array({all, Small()})));
  const std::vector<TaskTemplate>& read = job.groups.at(0).tasks.at(0).templates;
  ASSERT_EQ(read.size(), 2u);
  TaskTemplate expected;
  expected.source = "local/a.tpl";
  expected.destination = "secrets/a.env";
  expected.change_mode = TaskTemplate::ChangeMode::kScript;
  expected.script = TemplateScript{"/bin/reload", {"-q"}, 20s, true, true};
  expected.once = true;
  expected.splay = 0s;
  expected.perms = "600";
  expected.uid = 1000;
  expected.gid = 100;
  expected.left_delimiter = "<<";
  expected.right_delimiter = ">>";
  expected.env = true;
  expected.wait = TemplateWait{2s, 30s};
  expected.error_on_missing_key = true;
  EXPECT_EQ(read[0], expected);
  EXPECT_EQ(read[1].splay, 5s);
  EXPECT_EQ(read[1].change_mode, TaskTemplate::ChangeMode::kRestart);
  EXPECT_EQ(ReadWithTemplates(json::parse(JobToJson(job))), job);
}

TEST(TaskTemplateTest, TheCanonicalFormHasTheDefaults) {
  const json job = JobWithTemplates(json::array({Small()}));
  const json canonical = CanonicalJob(ReadWithTemplates(job), job);
  EXPECT_EQ(canonical["TaskGroups"][0]["Tasks"][0]["Templates"],
            json::array({{{"SourcePath", ""},
                          {"DestPath", "local/a"},
                          {"EmbeddedTmpl", "x"},
                          {"ChangeMode", "restart"},
                          {"ChangeScript", nullptr},
                          {"ChangeSignal", ""},
                          {"Once", false},
                          {"Splay", 5'000'000'000},
                          {"Perms", "0644"},
                          {"Uid", -1},
                          {"Gid", -1},
                          {"LeftDelim", "{{"},
                          {"RightDelim", "}}"},
                          {"Envvars", false},
                          {"VaultGrace", nullptr},
                          {"Wait", nullptr},
                          {"ErrMissingKey", false}}}));
}

TEST(TaskTemplateTest, TheLongestWaitIsFourTimesTheShortest) {
  json one = Small();
  one["Wait"] = {{"Min", "5s"}};
  const Job job = ReadWithTemplates(JobWithTemplates(json::array({one})));
  EXPECT_EQ(job.groups[0].tasks[0].templates[0].wait, (TemplateWait{5s, 20s}));
  one["Wait"] = {{"Min", 9223372036854775807}};
  EXPECT_FALSE(FaultsOf(one).empty());
}

TEST(TaskTemplateTest, MistakesAreFaults) {
  const std::pair<json, std::string> cases[] = {
      {{{"EmbeddedTmpl", ""}},
       ": has neither EmbeddedTmpl nor SourcePath: write the template into one of them"},
      {{{"SourcePath", "local/x"}},
       "/SourcePath: the template also has EmbeddedTmpl; write only one of them"},
      {{{"DestPath", ""}}, "/DestPath: is missing"},
      {{{"DestPath", "local/"}}, "/DestPath: \"local/\" names a directory, not a file"},
      {{{"DestPath", "../other/local/a"}},
       "/DestPath: \"../other/local/a\" leads out of the task's directory"},
      {{{"DestPath", "local/../../../a"}},
       "/DestPath: \"local/../../../a\" leads out of the task's directory"},
      {{{"ChangeMode", "reload"}},
       "/ChangeMode: \"reload\" is not known; write one of noop, signal, restart, script"},
      {{{"ChangeMode", "signal"}}, "/ChangeSignal: is missing: ChangeMode is \"signal\""},
      {{{"ChangeMode", "signal"}, {"ChangeSignal", "hup"}},
       "/ChangeSignal: \"HUP\" is not a signal, such as \"SIGHUP\""},
      {{{"ChangeMode", "signal"}, {"ChangeSignal", "SIGHUP"}, {"Envvars", true}},
       "/ChangeMode: the environment of a running task cannot change: write \"restart\" or "
       "\"noop\""},
      {{{"ChangeMode", "script"}}, "/ChangeScript: is missing: ChangeMode is \"script\""},
      {{{"ChangeMode", "script"}, {"ChangeScript", {{"Args", {"a"}}}}},
       "/ChangeScript/Command: is missing"},
      {{{"ChangeMode", "script"}, {"ChangeScript", {{"Command", "a"}, {"Timeout", "-1s"}}}},
       "/ChangeScript/Timeout: must be more than 0s, but is -1s"},
      {{{"Splay", "-1s"}}, "/Splay: must not be negative, but is -1s"},
      {{{"Perms", "4755"}},
       "/Perms: \"4755\" is not an octal number from 0 to 0777, such as \"0644\""},
      {{{"Perms", "rw"}}, "/Perms: \"rw\" is not an octal number from 0 to 0777, such as \"0644\""},
      {{{"Wait", {{"Min", "5s"}, {"Max", "1s"}}}}, "/Wait/Min: is 5s, more than Max, which is 1s"}};
  for (const auto& [change, fault] : cases) {
    json one = Small();
    one.update(change);
    EXPECT_THAT(FaultsOf(one), ElementsAre(fault)) << change;
  }
}

TEST(TaskTemplateTest, WhatIsKnownOnlyAtTheStartIsNoFault) {
  for (const char* path :
       {"${NOMAD_SECRETS_DIR}/a", "../alloc/data/a", "/local/a", "a", "local/x/../a", "..a/b"}) {
    json one = Small();
    one["DestPath"] = path;
    EXPECT_THAT(FaultsOf(one), IsEmpty()) << path;
  }
  json one = Small();
  one["ChangeMode"] = "signal";
  one["ChangeSignal"] = "sighup";
  EXPECT_THAT(FaultsOf(one), IsEmpty());
}

TEST(TaskTemplateTest, TwoTemplatesOfOneFileAreAFault) {
  std::vector<JobFault> faults;
  EXPECT_FALSE(ParseJob(JobWithTemplates(json::array({Small(), Small()})).dump(), &faults).ok());
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].pointer, "/TaskGroups/0/Tasks/0/Templates/1/DestPath");
  EXPECT_EQ(faults[0].message, "\"local/a\" is already at " + std::string(kAt) + "/DestPath");
}

TEST(TaskTemplateTest, WhatHasNoEffectGivesAWarning) {
  json one = Small();
  one.update({{"ChangeSignal", "SIGHUP"},
              {"ChangeScript", {{"Command", "a"}}},
              {"Once", true},
              {"Wait", {{"Min", "1s"}}},
              {"VaultGrace", "5s"}});
  std::vector<JobFault> warnings;
  EXPECT_THAT(FaultsOf(one, &warnings), IsEmpty());
  std::vector<std::string> pointers;
  for (const JobFault& warning : warnings) pointers.push_back(warning.pointer);
  const std::string at = kAt;
  EXPECT_THAT(pointers, testing::UnorderedElementsAre(at + "/VaultGrace", at + "/ChangeSignal",
                                                      at + "/ChangeScript", at + "/Wait"));
}

TEST(TaskTemplateTest, ThereIsAMostOfTemplates) {
  json many = json::array();
  for (std::size_t i = 0; i <= kMostTemplates; ++i) {
    many.push_back({{"EmbeddedTmpl", "x"}, {"DestPath", "local/" + std::to_string(i)}});
  }
  std::vector<JobFault> faults;
  EXPECT_FALSE(ParseJob(JobWithTemplates(many).dump(), &faults).ok());
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "must hold at most 256 templates");
}

TEST(TaskTemplateTest, PermissionsAreOctal) {
  EXPECT_EQ(*FileModeOf("0644"), 0644u);
  EXPECT_EQ(*FileModeOf("700"), 0700u);
  EXPECT_EQ(*FileModeOf("0"), 0u);
  for (const char* text : {"", "8", "0x1", "1000", "-1", "644 "}) {
    EXPECT_FALSE(FileModeOf(text).ok()) << text;
  }
}

TEST(TaskTemplateTest, APolicyMayRenderAgainAtRestarts) {
  json job = JobWithTemplates(json::array({Small()}));
  job["TaskGroups"][0]["RestartPolicy"] = {{"RenderTemplates", true}};
  const Job read = ReadWithTemplates(job);
  EXPECT_TRUE(read.groups[0].restart_policy.render_templates);
  EXPECT_EQ(ReadWithTemplates(json::parse(JobToJson(read))), read);
  EXPECT_FALSE(
      ReadWithTemplates(JobWithTemplates(json::array())).groups[0].restart_policy.render_templates);
}

}  // namespace
}  // namespace drover
