// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_alloc.h"

#include <gtest/gtest.h>

#include <string>

#include "host/cluster/msgpack_reader.h"
#include "host/cluster/wire_alloc_for_test.h"

namespace drover {
namespace {

using nlohmann::json;

Result<WireAlloc> ReadTestAlloc(const json& value) {
  return ReadWireAlloc(value, kTestNodeId, "dc7");
}

TEST(WireAlloc, ReadsAnAllocationAfterItsWayOverTheWire) {
  const auto arrived = ReadMsgpack(WriteMsgpack(WireAllocForTest()));
  ASSERT_TRUE(arrived.ok()) << arrived.error().message();
  const auto read = ReadTestAlloc(*arrived);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_FALSE(read->refusal) << read->refusal->message();
  const Allocation& alloc = read->alloc;
  EXPECT_EQ(alloc.id, kTestAllocId);
  EXPECT_EQ(alloc.index, 1);
  EXPECT_EQ(alloc.datacenter, "dc7");
  EXPECT_EQ(alloc.desired_status, DesiredStatus::kRun);
  EXPECT_TRUE(alloc.canary);
  EXPECT_EQ(alloc.alloc_modify_index, 13u);
  EXPECT_EQ(alloc.create_time, 1767323045000000006);
  ASSERT_NE(alloc.group(), nullptr);
  EXPECT_EQ(alloc.group()->name, "web");
  const AllocatedPort port{"http", 30173, 8080, "10.0.0.5", ""};
  EXPECT_EQ(alloc.ports, std::vector<AllocatedPort>{port});
  EXPECT_EQ(alloc.cores.at("server"), (std::vector<int>{1, 3}));
  EXPECT_EQ(alloc.devices.at("server")[0].group.Text(), "acme/gpu/x1");
  EXPECT_EQ(alloc.devices.at("server")[0].ids, (std::vector<std::string>{"d0", "d1"}));
  EXPECT_EQ(read->identities.at("server"), "a.b.c");
}

TEST(WireAlloc, ReadsTheOlderFormOfResources) {
  json value = WireAllocForTest();
  value["AllocatedResources"] = nullptr;
  value["SharedResources"] = json::parse(R"({"DiskMB": 300, "Networks": [
      {"IP": "10.0.0.5", "ReservedPorts": [{"Label": "admin", "Value": 8081}],
       "DynamicPorts": [{"Label": "http", "Value": 30173, "To": 8080}]}]})");
  value["TaskResources"] = json::parse(R"({"server": {"CPU": 100, "MemoryMB": 64, "Networks": [
      {"IP": "10.0.0.6", "DynamicPorts": [{"Label": "own", "Value": 30174}]}]}})");
  const auto read = ReadTestAlloc(value);
  ASSERT_TRUE(read.ok()) << read.error().message();
  const std::vector<AllocatedPort> ports = {{"admin", 8081, 0, "10.0.0.5", ""},
                                            {"http", 30173, 8080, "10.0.0.5", ""},
                                            {"own", 30174, 0, "10.0.0.6", "server"}};
  EXPECT_EQ(read->alloc.ports, ports);
}

TEST(WireAlloc, IsRefusedWithTheNameOfTheField) {
  json value = WireAllocForTest();
  value["Job"]["TaskGroups"][1]["Tasks"][0]["CSIPluginConfig"] = {{"ID", "x"}};
  const auto read = ReadTestAlloc(value);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_TRUE(read->refusal);
  EXPECT_NE(read->refusal->message().find("/TaskGroups/1/Tasks/0/CSIPluginConfig"),
            std::string::npos)
      << read->refusal->message();
  EXPECT_EQ(read->alloc.id, kTestAllocId) << "the node can report it as failed";
  EXPECT_EQ(read->alloc.job, nullptr);
}

TEST(WireAlloc, IsStoppedAlsoIfItHasNoJob) {
  json value = WireAllocForTest();
  value["Job"] = nullptr;
  value["DesiredStatus"] = "stop";
  const auto read = ReadTestAlloc(value);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_TRUE(read->refusal);
  EXPECT_TRUE(read->alloc.server_terminal());
}

TEST(WireAlloc, MustBeOneOfThisNode) {
  json value = WireAllocForTest();
  for (const char* const id :
       {"", "x", "../../../../../../../../../etc/passwd", "0B3AD1C2-1111-4222-8333-444455556666",
        "0b3ad1c2-1111-4222-8333-44445555666", "0b3ad1c2x1111-4222-8333-444455556666"}) {
    value["ID"] = id;
    EXPECT_FALSE(ReadTestAlloc(value).ok()) << id;
  }
  value["ID"] = kTestAllocId;
  ASSERT_TRUE(ReadTestAlloc(value).ok());
  value["NodeID"] = kTestAllocId;
  EXPECT_FALSE(ReadTestAlloc(value).ok());
}

TEST(WireAlloc, NamesAMemberOfAWrongType) {
  json value = WireAllocForTest();
  value["AllocatedResources"]["Shared"]["Ports"][0]["Value"] = "many";
  const auto read = ReadTestAlloc(value);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("Shared.Ports[0].Value"), std::string::npos)
      << read.error().message();
}

// A wrong type in whatever member ends with an allocation, a refusal or an error.
TEST(WireAlloc, SurvivesWrongTypesInEachMember) {
  json right = WireAllocForTest();
  right.erase("Job");  // tested apart
  int wrong_ones = 0;
  const json flat = right.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (const json& wrong : {json(-7), json(1e300), json("\xff"), json::array({7}),
                              json::object({{"x", 1}}), json(70000)}) {
      json changed = right;
      changed[json::json_pointer(pointer)] = wrong;
      wrong_ones += ReadTestAlloc(changed).ok() ? 0 : 1;
    }
  }
  EXPECT_GT(wrong_ones, 50);
  EXPECT_FALSE(ReadTestAlloc(json()).ok());
  EXPECT_FALSE(ReadTestAlloc(json::array()).ok());
}

}  // namespace
}  // namespace drover
