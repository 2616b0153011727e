// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/job_of_hcl.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/hcl/hcl_places.h"

namespace drover {
namespace {

using nlohmann::json;

json Finished(json job) {
  job["Label"] = "web";
  JobFaults faults;
  json made = JobOfHcl({{"Job", std::move(job)}}, &faults);
  EXPECT_TRUE(faults.empty()) << faults.list()[0].pointer << ": " << faults.list()[0].message;
  return made;
}

json FinishedGroup(json group) {
  group["Name"] = "g";
  return Finished({{"TaskGroups", {std::move(group)}}}).at("TaskGroups").at(0);
}

json FinishedTask(json task) {
  task["Name"] = "t";
  return FinishedGroup({{"Tasks", {std::move(task)}}}).at("Tasks").at(0);
}

std::string Fault(json decoded) {
  JobFaults faults;
  JobOfHcl(std::move(decoded), &faults);
  EXPECT_EQ(faults.list().size(), 1u);
  return faults.empty() ? "" : faults.list()[0].pointer + ": " + faults.list()[0].message;
}

TEST(JobOfHclTest, TheLabelOfTheJobIsItsIdAndName) {
  EXPECT_EQ(Finished(json::object()), json({{"ID", "web"}, {"Name", "web"}}));
  EXPECT_EQ(Finished({{"ID", "a"}, {"Name", "b"}}), json({{"ID", "a"}, {"Name", "b"}}));
  EXPECT_EQ(Fault(json::object()), ": there is no block job \"NAME\" in it");
}

TEST(JobOfHclTest, ATaskOfTheJobIsAGroupOfItsOwn) {
  const json job = Finished({{"Tasks", {{{"Name", "a"}, {"Driver", "exec"}}, {{"Name", "b"}}}},
                             {"TaskGroups", {{{"Name", "g"}}}}});
  EXPECT_EQ(job.at("TaskGroups"),
            json({{{"Name", "a"}, {"Tasks", {{{"Name", "a"}, {"Driver", "exec"}}}}},
                  {{"Name", "b"}, {"Tasks", {{{"Name", "b"}}}}},
                  {{"Name", "g"}}}));
  EXPECT_FALSE(job.contains("Tasks"));
}

TEST(JobOfHclTest, VaultAndSecretsHoldForTheTasksBelow) {
  const json job = Finished({{"Vault", {{"Role", "job"}}},
                             {"Secrets", {{{"Name", "of job"}}}},
                             {"Tasks", {{{"Name", "alone"}}}},
                             {"TaskGroups",
                              {{{"Name", "g"},
                                {"Vault", {{"Role", "group"}}},
                                {"Secrets", {{{"Name", "of group"}}}},
                                {"Tasks",
                                 {{{"Name", "a"}},
                                  {{"Name", "b"},
                                   {"Vault", {{"Role", "task"}}},
                                   {"Secrets", {{{"Name", "of task"}}}}}}}}}}});
  const json& groups = job.at("TaskGroups");
  EXPECT_EQ(groups[0].at("Tasks")[0].at("Vault").at("Role"), "job");
  EXPECT_EQ(groups[1].at("Tasks")[0].at("Vault").at("Role"), "group");
  EXPECT_EQ(groups[1].at("Tasks")[1].at("Vault").at("Role"), "task");
  EXPECT_EQ(groups[1].at("Tasks")[1].at("Secrets"),
            json({{{"Name", "of task"}}, {{"Name", "of group"}}, {{"Name", "of job"}}}));
  for (const json& place : {job, groups[1]}) {
    EXPECT_FALSE(place.contains("Vault") || place.contains("Secrets")) << place;
  }
}

TEST(JobOfHclTest, APortWithANumberIsReserved) {
  const json ports = {{{"Label", "a"}, {"Value", 80}},
                      {{"Label", "b"}, {"To", 8080}},
                      {{"Label", "c"}, {"Value", 0}}};
  const json group = FinishedGroup({{"Networks", {{{"DynamicPorts", ports}}}}});
  EXPECT_EQ(group.at("Networks")[0],
            json({{"ReservedPorts", {ports[0]}}, {"DynamicPorts", {ports[1], ports[2]}}}));
  const json none = FinishedGroup({{"Networks", {{{"DynamicPorts", {ports[0]}}}}}});
  EXPECT_EQ(none.at("Networks")[0], json({{"ReservedPorts", {ports[0]}}}));
  // The older place of networks, and the older form of reserved ports.
  const json task = FinishedTask({{"Resources",
                                   {{"Networks",
                                     {{{"ReservedPorts", {{{"Label", "x"}, {"Value", 1}}}},
                                       {"DynamicPorts", {ports[0]}}}}}}}});
  EXPECT_EQ(task.at("Resources").at("Networks")[0].at("ReservedPorts"),
            json({{{"Label", "x"}, {"Value", 1}}, ports[0]}));
}

TEST(JobOfHclTest, AConstraintMayNameItsOperatorByAnAttribute) {
  const std::pair<json, json> forms[] = {
      {json::object(), {{"Operand", "="}}},
      {{{"LTarget", "a"}, {"RTarget", "b"}, {"Operand", "!="}},
       {{"LTarget", "a"}, {"RTarget", "b"}, {"Operand", "!="}}},
      {{{"LTarget", "a"}, {"regexp", "b"}},
       {{"LTarget", "a"}, {"RTarget", "b"}, {"Operand", "regexp"}}},
      {{{"LTarget", "a"}, {"Operand", "version"}, {"version", ">= 2"}},
       {{"LTarget", "a"}, {"RTarget", ">= 2"}, {"Operand", "version"}}},
      {{{"distinct_hosts", true}}, {{"RTarget", "true"}, {"Operand", "distinct_hosts"}}},
      {{{"distinct_hosts", false}}, {{"RTarget", "false"}, {"Operand", "distinct_hosts"}}},
      {{{"distinct_property", "${meta.rack}"}, {"RTarget", "2"}},
       {{"LTarget", "${meta.rack}"}, {"RTarget", "2"}, {"Operand", "distinct_property"}}},
      {{{"LTarget", "a"}, {"set_contains_any", "b,c"}, {"semver", ""}},
       {{"LTarget", "a"}, {"RTarget", "b,c"}, {"Operand", "set_contains_any"}}}};
  for (const auto& [decoded, wanted] : forms) {
    EXPECT_EQ(Finished({{"Constraints", {decoded}}}).at("Constraints")[0], wanted);
    EXPECT_EQ(FinishedGroup({{"Constraints", {decoded}}}).at("Constraints")[0], wanted);
    EXPECT_EQ(FinishedTask({{"Affinities", {decoded}}}).at("Affinities")[0], wanted);
    EXPECT_EQ(FinishedTask({{"Resources", {{"Devices", {{{"Constraints", {decoded}}}}}}}})
                  .at("Resources")
                  .at("Devices")[0]
                  .at("Constraints")[0],
              wanted);
  }
}

TEST(JobOfHclTest, AConstraintThatSaysTwoThingsIsAFault) {
  const std::pair<json, const char*> wrong[] = {
      {{{"regexp", "a"}, {"semver", "b"}}, "\"regexp\" and \"semver\""},
      {{{"Operand", "="}, {"regexp", "a"}}, "\"=\" and \"regexp\""},
      {{{"RTarget", "b"}, {"regexp", "a"}}, "\"b\" and \"a\""}};
  for (const auto& [constraint, both] : wrong) {
    const std::string fault = Fault({{"Job", {{"Label", "j"}, {"Constraints", {constraint}}}}});
    EXPECT_EQ(fault, std::string("/Constraints/0: says two things at once: ") + both);
  }
}

TEST(JobOfHclTest, BlocksWithAKeyBecomeAMap) {
  const json group =
      FinishedGroup({{"Volumes", {{{"Name", "a"}, {"Type", "host"}}, {{"Name", "b"}}}}});
  EXPECT_EQ(group.at("Volumes"),
            json({{"a", {{"Name", "a"}, {"Type", "host"}}}, {"b", {{"Name", "b"}}}}));
  const json twice = {{"Label", "j"},
                      {"TaskGroups", {{{"Volumes", {{{"Name", "a"}}, {{"Name", "a"}}}}}}}};
  EXPECT_EQ(Fault({{"Job", twice}}), "/TaskGroups/0/Volumes: \"a\" stands here twice");
}

// A text of a megabyte could take all memory.
TEST(JobOfHclTest, CopiesOfOuterBlocksAreLimited) {
  const json vault = {{"Role", std::string(std::size_t{1} << 20, 'x')}};
  const auto job_of = [&vault](int many, bool in_group) {
    json tasks = json::array();
    for (int i = 0; i < many; ++i) tasks.push_back({{"Name", std::to_string(i)}});
    json group = {{"Name", "g"}, {"Tasks", std::move(tasks)}};
    json job = {{"Label", "j"}};
    (in_group ? group : job)["Vault"] = vault;
    job["TaskGroups"] = json::array({std::move(group)});
    return job;
  };
  for (const bool in_group : {false, true}) {
    EXPECT_EQ(Finished(job_of(10, in_group)).at("TaskGroups").at(0).at("Tasks").at(9).at("Vault"),
              vault);
    EXPECT_EQ(Fault({{"Job", job_of(20, in_group)}}),
              ": its blocks vault and secret outside of tasks are too large for so many tasks: "
              "each task gets a copy");
  }
}

TEST(JobOfHclTest, TheFirstIdentityWithoutANameIsTheDefault) {
  const json task =
      FinishedTask({{"Identities", {{{"Name", "vault"}}, {{"Env", true}}, {{"Name", "default"}}}}});
  EXPECT_EQ(task.at("Identity"), json({{"Env", true}}));
  EXPECT_EQ(task.at("Identities"), json({{{"Name", "vault"}}, {{"Name", "default"}}}));
  const json alone = FinishedTask({{"Identities", {{{"Name", "default"}}}}});
  EXPECT_EQ(alone.at("Identity"), json({{"Name", "default"}}));
  EXPECT_FALSE(alone.contains("Identities"));
}

TEST(JobOfHclTest, ScalingPoliciesHaveTheirTypes) {
  EXPECT_EQ(FinishedGroup({{"Scaling", {{"Max", 3}}}}).at("Scaling"),
            json({{"Max", 3}, {"Type", "horizontal"}}));
  EXPECT_EQ(FinishedTask({{"ScalingPolicies", {{{"Type", "cpu"}}, {{"Type", "mem"}}}}})
                .at("ScalingPolicies"),
            json({{{"Type", "vertical_cpu"}}, {{"Type", "vertical_mem"}}}));
  EXPECT_EQ(Fault({{"Job",
                    {{"Label", "j"},
                     {"TaskGroups", {{{"Tasks", {{{"ScalingPolicies", {{{"Type", "x"}}}}}}}}}}}}}),
            "/TaskGroups/0/Tasks/0/ScalingPolicies/0: the label of a task's scaling block must be "
            "cpu or mem");
}

TEST(JobOfHclTest, PlacesGoWhereTheirObjectsGo) {
  json decoded = json::parse(R"({
    "": {"Job": [1, 1, 1, 10, 0, 9]},
    "Job": {
      "": {"": [1, 1, 1, 10, 0, 9], "Vault": [2, 1, 2, 2, 1, 2], "Tasks": [3, 1, 3, 2, 1, 2]},
      "Label": "web",
      "Vault": {"": {"": [2, 1, 2, 2, 1, 2], "Role": [4, 1, 4, 2, 1, 2]}, "Role": "r"},
      "Tasks": [{"": {"": [3, 1, 3, 2, 1, 2]}, "Name": "t",
                 "Identities": [{"": {"": [5, 1, 5, 2, 1, 2]}}]}],
      "Constraints": [{"": {"": [6, 1, 6, 2, 1, 2], "regexp": [7, 1, 7, 2, 1, 2]}, "regexp": "a"}],
      "TaskGroups": [{"": {"": [8, 1, 8, 2, 1, 2]}, "Name": "g",
                      "Volumes": [{"": {"": [9, 1, 9, 2, 1, 2]}, "Name": "v"}],
                      "Networks": [{"": {"": [10, 1, 10, 2, 1, 2]},
                                    "DynamicPorts": [{"": {"": [11, 1, 11, 2, 1, 2]}, "To": 1},
                                                     {"": {"": [12, 1, 12, 2, 1, 2]}, "Value": 80}]}]}]}
  })");
  JobFaults faults;
  json job = JobOfHcl(std::move(decoded), &faults);
  EXPECT_TRUE(faults.empty());
  const HclPlaces places = TakePlaces(&job);
  EXPECT_EQ(job.dump().find("\"\":"), std::string::npos) << job;
  const std::pair<const char*, int> wanted[] = {
      {"/ID", 1},
      {"/Constraints/0/LTarget", 6},
      {"/Constraints/0/Operand", 7},
      {"/Constraints/0/RTarget", 7},
      {"/TaskGroups/0/Count", 3},
      {"/TaskGroups/0/Tasks/0/Vault", 2},
      {"/TaskGroups/0/Tasks/0/Vault/Role", 4},
      {"/TaskGroups/0/Tasks/0/Identity", 5},
      {"/TaskGroups/1/Volumes/v/Type", 9},
      {"/TaskGroups/1/Networks/0", 10},
      {"/TaskGroups/1/Networks/0/DynamicPorts/0/To", 11},
      {"/TaskGroups/1/Networks/0/ReservedPorts/0/Value", 12}};
  for (const auto& [pointer, line] : wanted) {
    ASSERT_NE(places.Find(pointer), nullptr) << pointer;
    EXPECT_EQ(places.Find(pointer)->line, line) << pointer;
  }
}

TEST(JobOfHclTest, BodiesOfAnyKindStayAsTheyAre) {
  const json config = {{"Constraints", {{{"regexp", "a"}}}}, {"DynamicPorts", 1}, {"Tasks", "x"}};
  EXPECT_EQ(FinishedTask({{"Config", config}}).at("Config"), config);
}

}  // namespace
}  // namespace drover
