// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/ids.h"

namespace drover {
namespace {

using nlohmann::json;

VolumeRecord Whole() {
  VolumeRecord record;
  record.id = RandomUuid();
  record.name_space = "team";
  record.name = "data";
  record.plugin_id = "mkdir";
  record.node_id = "n";
  record.node_pool = "pool";
  record.host_path = "/srv/data";
  record.state = volume_state::kReady;
  record.capacity_bytes = 1LL << 40;
  record.capacity_min_bytes = 1;
  record.capacity_max_bytes = 2;
  record.capabilities = {{"single-node-writer", "file-system"}};
  record.constraints = {{"${node.class}", "=", "big"}};
  record.parameters = {{"mode", "0700"}};
  record.claims = {{RandomUuid(), "team", "j", "g", "a"}};
  record.create_index = 3;
  record.modify_index = 4;
  record.create_time = 5;
  record.modify_time = 6;
  return record;
}

TEST(VolumeRecordTest, IsReadAsItWasWritten) {
  const VolumeRecord record = Whole();
  const auto read = ReadVolumeRecord(VolumeText(record));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, record);
  EXPECT_FALSE(VolumeToJson(record).contains("Claims")) << "clients read claims by themselves";
  EXPECT_EQ(ClaimToJson(record, record.claims[0]).at("VolumeID"), record.id);
}

TEST(VolumeRecordTest, ADamagedRecordIsAnErrorWhateverIsMissing) {
  const json whole = json::parse(VolumeText(Whole()));
  for (const auto& [key, value] : whole.items()) {
    json less = whole;
    less.erase(key);
    EXPECT_FALSE(ReadVolumeRecord(less.dump()).ok()) << key;
    less[key] = json::array({json::array()});
    EXPECT_FALSE(ReadVolumeRecord(less.dump()).ok()) << key;
  }
  for (const char* id : {"", "../../etc", "0000000000000000000000000000000000000"}) {
    json other = whole;
    other["ID"] = id;
    EXPECT_FALSE(ReadVolumeRecord(other.dump()).ok()) << id;
  }
  EXPECT_FALSE(ReadVolumeRecord("{").ok());
}

TEST(VolumeRecordTest, AVolumeOffersItsCapabilitiesWhileItIsReady) {
  VolumeRecord record = Whole();
  record.capabilities = {{"single-node-single-writer", "file-system"}};
  const auto wants = [](const char* mode, bool read_only = false) {
    VolumeRequest request;
    request.access_mode = mode;
    request.read_only = read_only;
    return request;
  };
  EXPECT_TRUE(Offers(record, wants("single-node-single-writer")));
  EXPECT_TRUE(Offers(record, wants("")));
  EXPECT_FALSE(Offers(record, wants("single-node-writer")));
  for (const auto state :
       {volume_state::kPending, volume_state::kUnavailable, volume_state::kDeleted}) {
    record.state = state;
    EXPECT_FALSE(Offers(record, wants(""))) << state;
  }
  record.state = volume_state::kReady;
  record.capabilities = {{"single-node-reader-only", "file-system"}};
  EXPECT_FALSE(Offers(record, wants(""))) << "nobody may write to it";
  EXPECT_TRUE(Offers(record, wants("", true)));
  EXPECT_TRUE(Offers(record, wants("single-node-reader-only", true)));
  record.capabilities = {{"single-node-writer", "block-device"}};
  EXPECT_FALSE(Offers(record, wants("single-node-writer")));
}

TEST(VolumeRecordTest, OnlyAUuidIsAnId) {
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(IsVolumeId(RandomUuid()));
  for (const char* id :
       {"", "x", "0000000000000000000000000000000000000", "00000000-0000-0000-0000-00000000000/",
        "00000000-0000-0000-0000-00000000000G", "00000000/0000-0000-0000-000000000000"}) {
    EXPECT_FALSE(IsVolumeId(id)) << id;
  }
}

}  // namespace
}  // namespace drover
