// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_diff.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

json BaseJob() {
  return json::parse(R"({
    "ID": "web", "Name": "web", "Priority": 50, "AllAtOnce": false, "Datacenters": ["dc1", "dc2"],
    "Meta": {"owner": "me", "old": "x"}, "Version": 3, "ModifyIndex": 17, "Update": null,
    "Constraints": [{"LTarget": "${attr.a}", "Operand": "=", "RTarget": "1"}],
    "TaskGroups": [{"Name": "g", "Count": 1,
      "Networks": [{"DynamicPorts": [{"Label": "http", "Value": 0}]}],
      "RestartPolicy": {"Attempts": 2, "Mode": "fail"},
      "Tasks": [{"Name": "t", "Driver": "raw_exec", "User": "", "Env": {"A": "1"},
                 "Config": {"command": "/bin/sh", "args": ["-c", "true"]},
                 "Resources": {"CPU": 100, "MemoryMB": 300}}]}]})");
}

// The item of a list with that name.
json Named(const json& list, const std::string& name) {
  for (const json& item : list) {
    if (item.at("Name") == name) return item;
  }
  return nullptr;
}

json Field(const char* type, const char* name, const char* before, const char* after) {
  return {
      {"Type", type}, {"Name", name}, {"Old", before}, {"New", after}, {"Annotations", nullptr}};
}

TEST(JobDiffTest, TheSameIsNone) {
  json other = BaseJob();
  other["Version"] = 4;
  other["ModifyIndex"] = 18;
  other["Datacenters"] = {"dc2", "dc1"};
  other["Update"] = json::object();
  other["TaskGroups"][0]["Meta"] = json::object();
  const json diff = DiffJobs(BaseJob(), other);
  EXPECT_EQ(diff, (json{{"Type", "None"},
                        {"ID", "web"},
                        {"Fields", nullptr},
                        {"Objects", nullptr},
                        {"TaskGroups", nullptr}}));
}

TEST(JobDiffTest, FieldsAndMapsTellTheOldAndTheNew) {
  json other = BaseJob();
  other["Priority"] = 60;
  other["AllAtOnce"] = true;
  other["Meta"] = {{"owner", "you"}, {"new", "y"}};
  const json diff = DiffJobs(BaseJob(), other);
  EXPECT_EQ(diff["Type"], "Edited");
  EXPECT_EQ(
      diff["Fields"],
      (json{Field("Edited", "AllAtOnce", "false", "true"), Field("Added", "Meta[new]", "", "y"),
            Field("Deleted", "Meta[old]", "x", ""), Field("Edited", "Meta[owner]", "me", "you"),
            Field("Edited", "Priority", "50", "60")}));
  EXPECT_EQ(diff["Objects"], nullptr);
  EXPECT_EQ(diff["TaskGroups"], nullptr);
}

TEST(JobDiffTest, OfListsEachItemComesAndGoes) {
  json other = BaseJob();
  other["Datacenters"] = {"dc1", "dc3"};
  other["Constraints"][0]["RTarget"] = "2";
  const json objects = DiffJobs(BaseJob(), other)["Objects"];
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0]["Name"], "Constraint");
  EXPECT_EQ(objects[0]["Type"], "Deleted");
  EXPECT_EQ(Named(objects[0]["Fields"], "RTarget"), Field("Deleted", "RTarget", "1", ""));
  EXPECT_EQ(objects[1]["Type"], "Added");
  EXPECT_EQ(Named(objects[1]["Fields"], "RTarget"), Field("Added", "RTarget", "", "2"));
  EXPECT_EQ(objects[2]["Name"], "Datacenters");
  EXPECT_EQ(objects[2]["Type"], "Edited");
  EXPECT_EQ(objects[2]["Fields"], (json{Field("Added", "Datacenters", "", "dc3"),
                                        Field("None", "Datacenters", "dc1", "dc1"),
                                        Field("Deleted", "Datacenters", "dc2", "")}));
}

TEST(JobDiffTest, TheConfigurationOfANewTaskIsAdded) {
  json without = BaseJob();
  without["TaskGroups"][0]["Tasks"][0]["Config"] = nullptr;
  json bare = BaseJob();
  bare["TaskGroups"][0]["Tasks"] = nullptr;
  const auto config = [](const json& before, const json& after) {
    const json diff = DiffJobs(before, after);
    return Named(diff["TaskGroups"][0]["Tasks"][0]["Objects"], "Config");
  };
  for (const json& other : {without, bare}) {
    const json added = config(other, BaseJob()), deleted = config(BaseJob(), other);
    EXPECT_EQ(added["Type"], "Added");
    EXPECT_EQ(deleted["Type"], "Deleted");
    EXPECT_EQ(added["Fields"].size(), 3u) << added;
    EXPECT_EQ(deleted["Fields"].size(), 3u) << deleted;
  }
}

TEST(JobDiffTest, GroupsAndTasksAreFoundByTheirNames) {
  json other = BaseJob();
  json& group = other["TaskGroups"][0];
  group["Count"] = 3;
  group["Tasks"][0]["Config"]["args"][1] = "false";
  group["Tasks"][0]["Config"]["extra"] = {{"a", {1}}};
  group["Tasks"][0]["Env"]["A"] = "2";
  group["Tasks"][0]["Resources"]["MemoryMB"] = 400;
  group["Tasks"].push_back({{"Name", "u"}, {"Driver", "exec"}, {"User", ""}, {"Leader", false}});
  group["Networks"][0]["DynamicPorts"].push_back({{"Label", "admin"}, {"To", 80}});
  other["TaskGroups"].insert(other["TaskGroups"].begin(), json{{"Name", "a"}, {"Count", 1}});
  const json diff = DiffJobs(BaseJob(), other);
  EXPECT_EQ(diff["Type"], "Edited");
  EXPECT_EQ(diff["Fields"], nullptr);
  ASSERT_EQ(diff["TaskGroups"].size(), 2u);
  EXPECT_EQ(diff["TaskGroups"][0]["Type"], "Added");
  EXPECT_EQ(diff["TaskGroups"][0]["Name"], "a");
  const json& of = diff["TaskGroups"][1];
  EXPECT_EQ(of["Type"], "Edited");
  EXPECT_EQ(of["Fields"], json::array({Field("Edited", "Count", "1", "3")}));
  ASSERT_EQ(of["Tasks"].size(), 2u);
  const json& task = of["Tasks"][0];
  EXPECT_EQ(task["Fields"], json::array({Field("Edited", "Env[A]", "1", "2")}));
  const json config = Named(task["Objects"], "Config");
  EXPECT_EQ(config["Type"], "Edited");
  EXPECT_EQ(config["Fields"],
            (json{Field("None", "args[0]", "-c", "-c"), Field("Edited", "args[1]", "true", "false"),
                  Field("None", "command", "/bin/sh", "/bin/sh"),
                  Field("Added", "extra.a[0]", "", "1")}));
  EXPECT_EQ(Named(task["Objects"], "Resources")["Fields"],
            (json{Field("None", "CPU", "100", "100"), Field("Edited", "MemoryMB", "300", "400")}));
  EXPECT_EQ(Named(of["Tasks"], "u"),
            (json{{"Type", "Added"},
                  {"Name", "u"},
                  {"Fields",
                   {Field("Added", "Driver", "", "exec"), Field("Added", "Leader", "", "false")}},
                  {"Objects", nullptr},
                  {"Annotations", nullptr}}));
}

TEST(JobDiffTest, ServicesAndChecksAreFoundByTheirNames) {
  json before = BaseJob();
  before["TaskGroups"][0]["Services"] = json::parse(R"([{"Name": "web", "PortLabel": "http",
      "Tags": ["a"], "Checks": [{"Name": "up", "Type": "http", "Path": "/",
                                 "Header": {"A": ["1"]}}]}])");
  json after = before;
  json& service = after["TaskGroups"][0]["Services"][0];
  service["Tags"] = {"b"};
  service["Checks"][0]["Path"] = "/up";
  service["Checks"][0]["Header"]["A"] = {"2"};
  service["Checks"].push_back({{"Name", "tcp"}, {"Type", "tcp"}});
  const json group = DiffJobs(before, after)["TaskGroups"][0];
  EXPECT_EQ(group["Type"], "Edited");
  const json changed = Named(group["Objects"], "Service");
  EXPECT_EQ(changed["Type"], "Edited");
  EXPECT_EQ(changed["Fields"], (json{Field("None", "Name", "web", "web"),
                                     Field("None", "PortLabel", "http", "http")}));
  EXPECT_EQ(Named(changed["Objects"], "Tags")["Fields"],
            (json{Field("Added", "Tags", "", "b"), Field("Deleted", "Tags", "a", "")}));
  // The added check comes first, since its name does.
  ASSERT_EQ(changed["Objects"].size(), 3u);
  EXPECT_EQ(changed["Objects"][0]["Name"], "Check");
  EXPECT_EQ(changed["Objects"][0]["Type"], "Added");
  const json& edited = changed["Objects"][1];
  EXPECT_EQ(edited["Name"], "Check");
  EXPECT_EQ(edited["Type"], "Edited");
  EXPECT_EQ(Named(edited["Fields"], "Path"), Field("Edited", "Path", "/", "/up"));
  EXPECT_EQ(edited["Objects"][0]["Name"], "Header");
  EXPECT_EQ(edited["Objects"][0]["Type"], "Edited");
}

TEST(JobDiffTest, AJobComesAndGoes) {
  const json added = DiffJobs(nullptr, BaseJob());
  EXPECT_EQ(added["Type"], "Added");
  EXPECT_EQ(added["ID"], "web");
  EXPECT_EQ(added["TaskGroups"][0]["Tasks"][0]["Type"], "Added");
  const json deleted = DiffJobs(BaseJob(), nullptr);
  EXPECT_EQ(deleted["Type"], "Deleted");
  EXPECT_EQ(deleted["ID"], "web");
  EXPECT_EQ(Named(deleted["Fields"], "Priority"), Field("Deleted", "Priority", "50", ""));
}

TEST(JobDiffTest, WhatIsInANamelessObjectAlsoCounts) {
  json other = BaseJob();
  other["TaskGroups"][0]["RestartPolicy"]["Attempts"] = 3;
  const json group = DiffJobs(BaseJob(), other)["TaskGroups"][0];
  EXPECT_EQ(group["Type"], "Edited");
  EXPECT_EQ(group["Objects"][0]["Name"], "RestartPolicy");
  EXPECT_EQ(group["Objects"][0]["Fields"],
            (json{Field("Edited", "Attempts", "2", "3"), Field("None", "Mode", "fail", "fail")}));
  EXPECT_EQ(group["Tasks"], nullptr);
}

TEST(JobDiffTest, ScalingBlocksTellWhatAnAutoscalerReads) {
  json before = BaseJob(), after = BaseJob();
  before["TaskGroups"][0]["Scaling"] = json::parse(
      R"({"Min": 1, "Max": 3, "Policy": {"check": [{"load": [{"query": "x"}]}]}, "ID": "a"})");
  after["TaskGroups"][0]["Scaling"] = json::parse(
      R"({"Min": 1, "Max": 4, "Policy": {"check": [{"load": [{"query": "y"}]}]}, "ID": ""})");
  const json of_task = json::parse(
      R"([{"Type": "vertical_cpu", "Max": 3, "ID": "b"}, {"Type": "vertical_mem", "Max": 5}])");
  before["TaskGroups"][0]["Tasks"][0]["ScalingPolicies"] = of_task;
  after["TaskGroups"][0]["Tasks"][0]["ScalingPolicies"] = of_task;
  after["TaskGroups"][0]["Tasks"][0]["ScalingPolicies"][0]["ID"] = "";
  after["TaskGroups"][0]["Tasks"][0]["ScalingPolicies"][1]["Max"] = 6;
  const json group = DiffJobs(before, after).at("TaskGroups")[0];
  const json scaling = Named(group.at("Objects"), "Scaling");
  EXPECT_EQ(scaling.at("Fields"),
            json({Field("Edited", "Max", "3", "4"), Field("None", "Min", "1", "1")}));
  EXPECT_EQ(scaling.at("Objects")[0].at("Fields"),
            json::array({Field("Edited", "check[0].load[0].query", "x", "y")}));
  const json& objects = group.at("Tasks")[0].at("Objects");
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].at("Name"), "ScalingPolicy");
  EXPECT_EQ(objects[0].at("Type"), "Edited");
  EXPECT_EQ(objects[0].at("Fields")[0], Field("Edited", "Max", "5", "6"));
}

}  // namespace
}  // namespace drover
