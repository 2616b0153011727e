// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kCreate = VolumeRequestKind::kCreate;
constexpr auto kRegister = VolumeRequestKind::kRegister;

json Draft(const json& more = json::object()) {
  json draft = json::parse(R"({"Name": "data", "RequestedCapabilities": [
      {"AccessMode": "single-node-writer", "AttachmentMode": "file-system"}]})");
  draft.update(more);
  return draft;
}

std::string FaultOf(const json& draft, VolumeRequestKind kind = kCreate) {
  const Result<VolumeRecord> record = ReadVolumeDraft(draft, kind);
  if (record.ok()) return "";
  EXPECT_EQ(record.code(), Code::kInvalidArgument);
  return record.error().message();
}

TEST(VolumeDraftTest, WhatIsSaidIsKept) {
  const auto record = ReadVolumeDraft(
      Draft({{"ID", "00000000-0000-4000-8000-0123456789ab"},
             {"Namespace", "team"},
             {"PluginID", "mkfs-ext4"},
             {"NodeID", "n"},
             {"NodePool", "p"},
             {"RequestedCapacityMinBytes", 1LL << 40},
             {"RequestedCapacityMaxBytes", 1LL << 41},
             {"Parameters", {{"mode", "0750"}}},
             {"State", "ready"},
             {"Constraints", json::array({{{"LTarget", "${node.class}"}, {"RTarget", "big"}}})}}),
      kCreate);
  ASSERT_TRUE(record.ok()) << record.error().message();
  EXPECT_EQ(record->id, "00000000-0000-4000-8000-0123456789ab");
  EXPECT_EQ(record->name_space, "team");
  EXPECT_EQ(record->plugin_id, "mkfs-ext4");
  EXPECT_EQ(record->node_id, "n");
  EXPECT_EQ(record->node_pool, "p");
  EXPECT_EQ(record->capacity_min_bytes, 1LL << 40);
  EXPECT_EQ(record->capacity_max_bytes, 1LL << 41);
  EXPECT_EQ(record->parameters, (StringMap{{"mode", "0750"}}));
  EXPECT_EQ(record->constraints, (std::vector<Constraint>{{"${node.class}", "=", "big"}}));
  EXPECT_EQ(record->state, "") << "only the agent decides on the state";
}

TEST(VolumeDraftTest, DefaultsAreThoseOfClients) {
  const auto made = ReadVolumeDraft(Draft(), kCreate);
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->plugin_id, "mkdir");
  EXPECT_EQ(made->name_space, "default");
  const auto registered = ReadVolumeDraft(Draft({{"HostPath", "/srv/x"}}), kRegister);
  ASSERT_TRUE(registered.ok()) << registered.error().message();
  EXPECT_EQ(registered->plugin_id, "");
  EXPECT_EQ(registered->host_path, "/srv/x");
}

TEST(VolumeDraftTest, MistakesAreNamed) {
  const json none = json::array();
  const std::pair<json, std::string> bad[] = {
      {json(7), "/Volume: is missing"},
      {Draft({{"Namespace", "a b"}}), "/Volume/Namespace: \"a b\" is not the name of a namespace"},
      {Draft({{"Namespace", std::string("a\0b", 3)}}), "is not the name of a namespace"},
      {Draft({{"Namespace", std::string(129, 'a')}}), "is not the name of a namespace"},
      {Draft({{"Name", ""}}), "/Volume/Name: \"\" is not the name of a volume"},
      {Draft({{"Name", "../etc"}}), "/Volume/Name: \"../etc\" is not the name"},
      {Draft({{"Name", std::string(129, 'a')}}), "/Volume/Name: "},
      {Draft({{"Name", 7}}), "/Volume/Name: must be a text"},
      {Draft({{"ID", "../../x"}}), "/Volume/ID: \"../../x\" is not the id"},
      {Draft({{"PluginID", "../sh"}}), "/Volume/PluginID: \"../sh\" is not the name of a plugin"},
      {Draft({{"PluginID", ".hidden"}}), "/Volume/PluginID: "},
      {Draft({{"HostPath", "/x"}}), "/Volume/HostPath: is for a volume that is registered"},
      {Draft({{"RequestedCapabilities", none}}), "/Volume/RequestedCapabilities: is missing"},
      {Draft({{"RequestedCapabilities", json::array({{{"AccessMode", "all"}}})}}),
       "/Volume/RequestedCapabilities/0/AccessMode: \"all\" is not known"},
      {Draft({{"RequestedCapacityMinBytes", -1}}), "/Volume/RequestedCapacityMinBytes: must be"},
      {Draft({{"RequestedCapacityMinBytes", 2}, {"RequestedCapacityMaxBytes", 1}}),
       "/Volume/RequestedCapacityMaxBytes: is less than"},
      {Draft({{"Parameters", {{"a", 1}}}}), "/Volume/Parameters: must be an object with texts"},
      {Draft({{"Parameters", {{"a", std::string(kMostParameterBytes, 'x')}}}}),
       "/Volume/Parameters: has more than 65536 bytes"},
  };
  for (const auto& [draft, fault] : bad) EXPECT_THAT(FaultOf(draft), HasSubstr(fault)) << draft;
  EXPECT_THAT(FaultOf(Draft({{"Name", ""}, {"Parameters", 1}})),
              AllOf(HasSubstr("/Volume/Name"), HasSubstr("/Volume/Parameters")));
}

TEST(VolumeDraftTest, ARegisteredVolumeHasAPath) {
  EXPECT_THAT(FaultOf(Draft(), kRegister), HasSubstr("/Volume/HostPath: is missing"));
  EXPECT_THAT(FaultOf(Draft({{"HostPath", "data"}}), kRegister),
              HasSubstr("/Volume/HostPath: must be an absolute path"));
  EXPECT_THAT(FaultOf(Draft({{"HostPath", "/a\nb"}}), kRegister), HasSubstr("/Volume/HostPath"));
  EXPECT_THAT(FaultOf(Draft({{"HostPath", "/a"}, {"CapacityBytes", "1"}}), kRegister),
              HasSubstr("/Volume/CapacityBytes: must be a number of bytes"));
}

}  // namespace
}  // namespace drover
