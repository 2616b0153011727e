// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/volume_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Only texts in JSON: the program for HCL is not there in unit tests. tests/e2e has the same in
// HCL.
json VolumeOf(const std::string& text) {
  const Result<json> read = ReadVolumeSpec("v.json", text);
  return read.ok() ? *read : json(read.error().message());
}

TEST(VolumeSpecTest, KeysAreThoseOfFilesOrOfTheApi) {
  const json wanted = json::parse(R"({"Name": "data", "PluginID": "mkdir", "NodePool": "p",
      "RequestedCapacityMinBytes": 1073741824, "RequestedCapacityMaxBytes": 2000000000,
      "RequestedCapabilities": [{"AccessMode": "single-node-writer",
                                 "AttachmentMode": "file-system"}],
      "Constraints": [{"LTarget": "${attr.kernel.name}", "RTarget": "linux", "Operand": "="}],
      "Parameters": {"mode": "0750", "uid": "7"}})");
  EXPECT_EQ(VolumeOf(R"({"type": "host", "name": "data", "plugin_id": "mkdir", "node_pool": "p",
      "capacity_min": "1GiB", "capacity_max": "2G",
      "capability": {"access_mode": "single-node-writer", "attachment_mode": "file-system"},
      "constraint": {"attribute": "${attr.kernel.name}", "value": "linux", "operator": "="},
      "parameters": {"mode": "0750", "uid": 7}})"),
            wanted);
  EXPECT_EQ(VolumeOf(json({{"Volume", wanted}}).dump()), wanted);
  json answer = wanted;
  answer.update({{"State", "ready"}, {"CreateIndex", 7}, {"ModifyTime", 1}});
  EXPECT_EQ(VolumeOf(answer.dump()), wanted) << "an answer of the agent can be sent again";
}

TEST(VolumeSpecTest, SeveralCapabilitiesAreAList) {
  const json volume = VolumeOf(R"({"name": "x", "capability": [
      {"access_mode": "single-node-reader-only"}, {"access_mode": "single-node-writer"}]})");
  ASSERT_EQ(volume.at("RequestedCapabilities").size(), 2u);
  EXPECT_EQ(volume["RequestedCapabilities"][1]["AccessMode"], "single-node-writer");
}

TEST(VolumeSpecTest, MistakesAreSaid) {
  EXPECT_THAT(VolumeOf(R"({"type": "csi"})"), HasSubstr("\"type\" must be \"host\""));
  EXPECT_THAT(VolumeOf(R"({"sise": 1})"), HasSubstr("v.json: \"sise\" is no key of a host volume"));
  EXPECT_THAT(VolumeOf(R"({"capacity": "much"})"), HasSubstr("\"much\" is no number of bytes"));
  EXPECT_THAT(VolumeOf(R"({"capability": "x"})"), HasSubstr("\"capability\" must be a block"));
  EXPECT_THAT(VolumeOf(R"({"capability": {"x": 1}})"), HasSubstr("\"x\" is no key of"));
  EXPECT_THAT(VolumeOf(R"({"parameters": {"a": [1]}})"), HasSubstr("\"a\" must be a text"));
  EXPECT_THAT(VolumeOf("[1]"), HasSubstr("must be an object"));
  EXPECT_THAT(VolumeOf("{"), StartsWith("v.json: "));
}

TEST(VolumeSpecTest, ByteCounts) {
  const auto bytes = [](const char* text) { return ParseByteCount(text).value_or(-1); };
  EXPECT_EQ(bytes("0"), 0);
  EXPECT_EQ(bytes("4096"), 4096);
  EXPECT_EQ(bytes("10 GiB"), 10LL << 30);
  EXPECT_EQ(bytes("1.5gb"), 1'500'000'000);
  EXPECT_EQ(bytes(" 2T "), 2'000'000'000'000);
  for (const char* bad : {"", "G", "-1", "1 PB", "1e300", "0x10", "1GiBs", "9999999TiB"}) {
    EXPECT_EQ(bytes(bad), -1) << bad;
  }
}

}  // namespace
}  // namespace drover
