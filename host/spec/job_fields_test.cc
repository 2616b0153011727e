// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_fields.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "host/base/time.h"

namespace drover {
namespace {

using nlohmann::json;

void ForEach(std::span<const JobField> fields, const std::string& pointer,
             const std::function<void(const std::string&, const JobField&)>& see) {
  for (const JobField& field : fields) {
    const std::string here = pointer + "/" + field.name;
    see(here, field);
    const char* const below = field.kind == FieldKind::kObject      ? ""
                              : field.kind == FieldKind::kObjectMap ? "/key"
                                                                    : "/*";
    ForEach(field.members, here + below, see);
  }
}

bool HasMembers(FieldKind kind) {
  return kind == FieldKind::kObject || kind == FieldKind::kObjectList ||
         kind == FieldKind::kObjectMap;
}

TEST(JobFieldsTest, TheTableIsSound) {
  std::set<std::string> seen;
  ForEach(JobFields(), "", [&seen](const std::string& pointer, const JobField& field) {
    EXPECT_TRUE(seen.insert(pointer).second) << pointer << " occurs twice";
    EXPECT_EQ(HasMembers(field.kind), !field.members.empty()) << pointer;
    const bool many = field.kind == FieldKind::kObjectList || field.kind == FieldKind::kObjectMap;
    std::set<std::string> hcl;
    int labels = 0;
    for (const JobField& member : field.members) {
      if (member.IsLabel()) ++labels;
      if (!member.HasHcl() || member.IsLabel()) continue;
      EXPECT_TRUE(hcl.insert(member.hcl).second) << pointer << " " << member.hcl << " twice";
    }
    EXPECT_LE(labels, many ? 1 : 0) << pointer;
    if (field.kind == FieldKind::kObjectMap) EXPECT_EQ(labels, 1) << pointer << " needs a key";
    if (*field.no_effect == '\0') return;
    EXPECT_NE(field.state, FieldState::kDone) << pointer;
    if (field.state == FieldState::kWarned) EXPECT_STRNE(field.note, "") << pointer;
    const json values = json::parse(field.no_effect, nullptr, false);
    ASSERT_TRUE(values.is_array()) << pointer;
    for (const json& value : values) {
      Duration unused{};
      if (field.kind == FieldKind::kDuration) EXPECT_TRUE(ReadJsonDuration(value, &unused));
      if (field.kind == FieldKind::kText) EXPECT_TRUE(value.is_string());
    }
  });
  EXPECT_TRUE(seen.count("/TaskGroups/*/Tasks/*/RestartPolicy/Interval"));
  EXPECT_GT(seen.size(), 150u);
}

// Each refused field is refused under its own pointer if its value has an effect.
TEST(JobFieldsTest, RefusedFieldsAreRefusedByPointer) {
  int refused = 0;
  // The pointers of blocks that are refused or ignored as a whole.
  std::vector<std::string> whole;
  ForEach(JobFields(), "", [&](const std::string& pattern, const JobField& field) {
    for (const std::string& block : whole) {
      if (pattern.starts_with(block + "/")) return;
    }
    if (field.state == FieldState::kRefused || field.state == FieldState::kInert) {
      whole.push_back(pattern);
    }
    if (field.state != FieldState::kRefused) return;
    std::string pointer = pattern;
    for (std::size_t star; (star = pointer.find('*')) != std::string::npos;) pointer[star] = '0';
    json job = json::object();
    for (const json& value : {json("something"), json(77), json::array({1}), json{{"A", 1}}}) {
      job[json::json_pointer(pointer)] = value;
      JobFaults faults;
      CheckJobFields(job, "/Job", &faults);
      ASSERT_EQ(faults.list().size(), 1u) << pointer << " " << value;
      EXPECT_EQ(faults.list()[0].pointer, "/Job" + pointer);
      const std::string instead = field.note[0] == '\0' ? "" : std::string(": ") + field.note;
      EXPECT_EQ(faults.list()[0].message, "is not supported by this version" + instead);
    }
    for (const json& value : {json(nullptr), json(""), json(0), json(false), json::array(),
                              json::object(), json{{"A", nullptr}, {"B", 0}, {"C", ""}}}) {
      job[json::json_pointer(pointer)] = value;
      JobFaults faults;
      CheckJobFields(job, "", &faults);
      const bool refuses = field.even_empty && value.is_object();
      EXPECT_EQ(faults.empty(), !refuses) << pointer << " " << value;
    }
    if (*field.no_effect != '\0') {
      for (const json& value : json::parse(field.no_effect)) {
        job[json::json_pointer(pointer)] = value;
        JobFaults faults;
        CheckJobFields(job, "", &faults);
        EXPECT_TRUE(faults.empty()) << pointer << " " << value;
      }
    }
    ++refused;
  });
  EXPECT_GT(refused, 30);
}

// The fields that stay refused, because they belong to other programs, say what to do instead.
TEST(JobFieldsTest, WhatStaysRefusedSaysWhatToDoInstead) {
  const std::pair<const char*, json> refused[] = {
      {"/TaskGroups/0/Tasks/0/Vault", json::object()},
      {"/TaskGroups/0/Tasks/0/Vault", {{"Role", "r"}}},
      {"/TaskGroups/0/Tasks/0/Secrets", {{{"Name", "s"}, {"Provider", "vault"}}}},
      {"/TaskGroups/0/Tasks/0/Consul", {{"Cluster", "other"}}},
      {"/TaskGroups/0/Consul", {{"Namespace", "n"}}},
      {"/TaskGroups/0/Tasks/0/CSIPluginConfig", {{"ID", "ebs"}, {"Type", "node"}}},
      {"/TaskGroups/0/Tasks/0/Kind", "connect-proxy:web"},
      {"/TaskGroups/0/Services/0/Connect", {{"SidecarService", json::object()}}},
      {"/TaskGroups/0/Tasks/0/Services/0/Connect", {{"Native", true}}},
      {"/ConsulToken", "t"},
      {"/ConsulNamespace", "n"},
      {"/VaultToken", "t"},
      {"/VaultNamespace", "n"}};
  for (const auto& [pointer, value] : refused) {
    json job = json::object();
    job[json::json_pointer(pointer)] = value;
    JobFaults faults;
    CheckJobFields(job, "", &faults);
    ASSERT_EQ(faults.list().size(), 1u) << pointer;
    EXPECT_EQ(faults.list()[0].pointer, pointer);
    EXPECT_TRUE(faults.list()[0].message.starts_with("is not supported by this version: remove it"))
        << pointer << ": " << faults.list()[0].message;
  }
}

// Returns the pointers of all warnings about JOB.
std::vector<std::string> Warned(const json& job) {
  JobFaults faults, warnings;
  CheckJobFields(job, "/Job", &faults, &warnings);
  EXPECT_TRUE(faults.empty()) << faults.list()[0].pointer << " " << faults.list()[0].message;
  std::vector<std::string> pointers;
  for (const JobFault& warning : warnings.list()) {
    EXPECT_TRUE(warning.message.starts_with("is not carried out by this version: "));
    pointers.push_back(warning.pointer);
  }
  return pointers;
}

TEST(JobFieldsTest, ARefusedBlockIsRefusedOnceAndNotPerField) {
  const std::pair<const char*, json> refused[] = {
      {"/TaskGroups/0/Tasks/0/Secrets", {{{"Name", "a"}, {"Config", "nonsense"}, {"X", 1}}}},
      {"/TaskGroups/0/Tasks/0/Consul", {{"Cluster", "other"}, {"Namespace", "a"}}},
      {"/TaskGroups/0/Tasks/0/Resources/NUMA", {{"Affinity", "require"}}},
      {"/TaskGroups/0/Tasks/0/Services/0/Connect", {{"SidecarService", {{"Port", "a"}}}}},
      {"/TaskGroups/0/Volumes/data/MountOptions", {{"FSType", "ext4"}, {"X", 1}}}};
  for (const auto& [pointer, value] : refused) {
    json job;
    job[json::json_pointer(pointer)] = value;
    JobFaults faults;
    CheckJobFields(job, "", &faults);
    ASSERT_EQ(faults.list().size(), 1u) << pointer;
    EXPECT_EQ(faults.list()[0].pointer, pointer);
  }
  for (const auto& [pointer, value] :
       {std::pair<const char*, json>{"/TaskGroups/0/Tasks/0/Consul",
                                     {{"Cluster", "default"}, {"Namespace", ""}}},
        {"/TaskGroups/0/Tasks/0/Resources/NUMA", {{"Affinity", "none"}, {"Devices", nullptr}}},
        {"/TaskGroups/0/Networks/0/DNS", {{"Servers", json::array()}}}}) {
    json job;
    job[json::json_pointer(pointer)] = value;
    JobFaults faults;
    CheckJobFields(job, "", &faults);
    EXPECT_TRUE(faults.empty()) << pointer;
  }
}

// In HCL: vault {} and connect { sidecar_service {} }. What they ask for does not depend on their
// fields.
TEST(JobFieldsTest, ABlockThatMeansSomethingWithoutFieldsIsRefusedWithoutFields) {
  const json nothing = json::object();
  const std::pair<const char*, json> refused[] = {
      {"/TaskGroups/0/Tasks/0/Vault", nothing},
      {"/TaskGroups/0/Services/0/Connect", {{"SidecarService", nothing}}},
      {"/TaskGroups/0/Services/0/Connect", {{"Native", false}, {"Gateway", nothing}}},
      {"/TaskGroups/0/Tasks/0/Services/0/Connect", {{"SidecarService", nothing}}}};
  for (const auto& [pointer, value] : refused) {
    json job;
    job[json::json_pointer(pointer)] = value;
    JobFaults faults;
    CheckJobFields(job, "", &faults);
    ASSERT_EQ(faults.list().size(), 1u) << pointer << " " << value;
    EXPECT_EQ(faults.list()[0].pointer, pointer);
  }
  for (const json& none : {json(nothing), json{{"Native", false}, {"SidecarService", nullptr}}}) {
    json job;
    job[json::json_pointer("/TaskGroups/0/Services/0/Connect")] = none;
    JobFaults faults;
    CheckJobFields(job, "", &faults);
    EXPECT_TRUE(faults.empty()) << none;
  }
}

TEST(JobFieldsTest, WhatIsTakenAndNotCarriedOutIsWarnedOf) {
  const std::pair<const char*, json> warned[] = {
      {"/TaskGroups/0/Tasks/0/Identity/ExtraClaims", json::array({"a"})}};
  for (const auto& [pointer, value] : warned) {
    json job;
    job[json::json_pointer(pointer)] = value;
    EXPECT_EQ(Warned(job), std::vector<std::string>{std::string("/Job") + pointer});
  }
  for (const json& silent :
       {json({{"Update", {{"MaxParallel", 2}, {"ProgressDeadline", "3m"}, {"Canary", 1}}}}),
        json({{"Update", {{"HealthCheck", "manual"}, {"HealthyDeadline", "3m"}}}}),
        json({{"TaskGroups", {{{"Update", {{"MinHealthyTime", "1s"}}}}}}}),
        json({{"Update", nullptr}, {"Reschedule", {{"Attempts", 3}, {"Delay", "1m"}}}}),
        json({{"TaskGroups", {{{"Services", nullptr}, {"Disconnect", {{"LostAfter", 7}}}}}}}),
        json({{"TaskGroups", {{{"Services", {{{"Name", "a"}}}}, {"MaxClientDisconnect", 5}}}}})}) {
    EXPECT_EQ(Warned(silent), std::vector<std::string>()) << silent;
  }
}

TEST(JobFieldsTest, WhatIsReadMustBeOfItsType) {
  const std::pair<const char*, json> wrong[] = {
      {"/TaskGroups/0/Services", 7},
      {"/TaskGroups/0/Services/0", "x"},
      {"/TaskGroups/0/Services/0/Nmae", "x"},
      {"/TaskGroups/0/Services/0/Connect", {{"Native", true}}},
      {"/TaskGroups/0/Services/0/Checks/0/Expose", true},
      {"/TaskGroups/0/Services/0/Checks/0/Header/A", "x"},
      {"/TaskGroups/0/Services/0/Checks/0/Header/A/0", 7},
      {"/Update", "x"},
      {"/Update/MaxParallel", "x"},
      {"/Update/Canary", "x"},
      {"/TaskGroups/0/Tasks/0/Identity/ServiceName", "other"}};
  for (const auto& [pointer, value] : wrong) {
    json job;
    job[json::json_pointer(pointer)] = value;
    JobFaults faults;
    CheckJobFields(job, "", &faults);
    ASSERT_EQ(faults.list().size(), 1u) << pointer;
    EXPECT_EQ(faults.list()[0].pointer, pointer);
  }
}

TEST(JobFieldsTest, DurationsAreNumbersOrTexts) {
  Duration duration{};
  EXPECT_TRUE(ReadJsonDuration(json(1'500'000'000), &duration));
  EXPECT_EQ(duration, 1500ms);
  EXPECT_TRUE(ReadJsonDuration(json("1m30s"), &duration));
  EXPECT_EQ(duration, 90s);
  EXPECT_TRUE(ReadJsonDuration(json(-1), &duration));
  EXPECT_EQ(duration, -1ns);
  for (const json& bad : {json("10"), json(1.5), json(18446744073709551615u), json(true),
                          json(nullptr), json::array({1})}) {
    EXPECT_FALSE(ReadJsonDuration(bad, &duration)) << bad;
  }
  EXPECT_EQ(duration, -1ns);  // untouched
}

// DROVER_UPDATE_DOCS=1 writes the page instead.
TEST(JobFieldsTest, ThePageIsThatOfTheTable) {
  const std::string path = std::string(DROVER_DOCS) + "/job-fields.md";
  if (std::getenv("DROVER_UPDATE_DOCS") != nullptr) std::ofstream(path) << JobFieldsMarkdown();
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), JobFieldsMarkdown())
      << "run spec_test with DROVER_UPDATE_DOCS=1 to write the page again";
}

}  // namespace
}  // namespace drover
