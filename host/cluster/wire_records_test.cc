// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_records.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "host/cluster/go_time.h"
#include "host/cluster/msgpack_reader.h"
#include "host/cluster/wire_node_for_test.h"

namespace drover {
namespace {

using nlohmann::json;

TEST(WireNode, HasWhatServersNeedToPlaceOnIt) {
  const auto wire = WireNode(WireNodeForTest(), "secret");
  ASSERT_TRUE(wire.ok()) << wire.error().message();
  const json& node = *wire;
  EXPECT_EQ(node["ID"], "7f000001-1111-4222-8333-444455556666");
  EXPECT_EQ(node["SecretID"], "secret");
  EXPECT_EQ(node["Status"], "initializing");
  EXPECT_EQ(node["SchedulingEligibility"], "eligible");
  EXPECT_EQ(node["Attributes"]["driver.mock"], "1");
  EXPECT_EQ(node["Drivers"]["mock"]["Healthy"], true);
  const json& resources = node["NodeResources"];
  EXPECT_EQ(resources["Processors"]["Topology"]["OverrideTotalCompute"], 4000);
  ASSERT_EQ(resources["Processors"]["Topology"]["Cores"].size(), 4u);
  EXPECT_EQ(resources["Processors"]["Topology"]["Cores"][1]["Disable"], false);
  EXPECT_EQ(resources["Processors"]["Topology"]["Cores"][2]["Disable"], true);
  EXPECT_EQ(resources["Networks"][0]["Mode"], "host");
  EXPECT_EQ(resources["Networks"][0]["IP"], "10.0.0.5");
  EXPECT_EQ(resources["Networks"][1]["Mode"], "bridge");
  EXPECT_EQ(resources["NodeNetworks"][1]["Addresses"][0]["Alias"], "default");
  EXPECT_EQ(resources["Disk"]["DiskMB"], 10000);
}

TEST(WireNode, HasTheOlderFormOfItsResources) {
  const auto wire = WireNode(WireNodeForTest(), "secret");
  ASSERT_TRUE(wire.ok());
  EXPECT_EQ((*wire)["Resources"]["CPU"], 4000);
  EXPECT_EQ((*wire)["Resources"]["MemoryMB"], 2000);
  EXPECT_EQ((*wire)["Resources"]["Networks"].size(), 1u) << "only those of the host";
  EXPECT_EQ((*wire)["Reserved"]["MemoryMB"], 100);
  EXPECT_EQ((*wire)["NodeResources"]["Cpu"]["CpuShares"], 4000);
}

TEST(WireNode, IsTheSameAfterItsWayOverTheWire) {
  const auto wire = WireNode(WireNodeForTest(), "secret");
  ASSERT_TRUE(wire.ok());
  const auto arrived = ReadMsgpack(WriteMsgpack(*wire));
  ASSERT_TRUE(arrived.ok()) << arrived.error().message();
  EXPECT_EQ(*arrived, *wire);
}

TEST(WireNode, IsNotSentIfServersCouldNotUseIt) {
  const std::pair<const char*, std::function<void(NodeRecord*)>> cases[] = {
      {"id", [](NodeRecord* node) { node->id.clear(); }},
      {"name", [](NodeRecord* node) { node->name.clear(); }},
      {"datacenter", [](NodeRecord* node) { node->datacenter.clear(); }},
      {"nomad.version", [](NodeRecord* node) { node->attributes.clear(); }},
      {"processors", [](NodeRecord* node) { node->cores = 0; }},
      {"memory", [](NodeRecord* node) { node->memory_mb = 0; }},
      {"disk", [](NodeRecord* node) { node->disk_mb = 0; }},
      {"network", [](NodeRecord* node) { node->interfaces.clear(); }},
      {"pool", [](NodeRecord* node) { node->node_pool = "all"; }}};
  for (const auto& [word, change] : cases) {
    NodeRecord node = WireNodeForTest();
    change(&node);
    const auto wire = WireNode(node, "secret");
    ASSERT_FALSE(wire.ok()) << word;
    EXPECT_EQ(wire.code(), Code::kFailedPrecondition);
    EXPECT_NE(wire.error().message().find(word), std::string::npos) << wire.error().message();
  }
  EXPECT_FALSE(WireNode(WireNodeForTest(), "").ok());
}

TEST(WireAllocUpdate, HasAllTasksWithTheirEvents) {
  TaskStateRecord task;
  ChangeTaskState(&task, RunnerState::kRunning, 1'767'323'045'000'000'006);
  AppendTaskEvent(&task, TaskEvent(event_type::kStarted), 1'767'323'045'000'000'006);
  AllocUpdate update;
  update.id = "a";
  update.status = {ClientStatus::kRunning, "Tasks are running"};
  update.tasks["server"] = std::make_shared<const TaskStateRecord>(task);
  update.tasks["not yet"] = nullptr;
  const json wire = WireAllocUpdate(update, "n");
  EXPECT_EQ(wire["NodeID"], "n");
  EXPECT_EQ(wire["ClientStatus"], "running");
  ASSERT_EQ(wire["TaskStates"].size(), 1u);
  const json& state = wire["TaskStates"]["server"];
  EXPECT_EQ(state["State"], "running");
  EXPECT_EQ(state["StartedAt"], WriteGoTime(1'767'323'045'000'000'006));
  EXPECT_EQ(state["FinishedAt"], WriteGoTime(0));
  EXPECT_EQ(state["Events"][0]["Type"], "Started");
  EXPECT_EQ(state["Events"][0]["Time"], 1'767'323'045'000'000'006);
  EXPECT_FALSE(wire.contains("DeploymentStatus")) << "the health is not known yet";
  EXPECT_FALSE(wire.contains("NetworkStatus"));
}

TEST(WireAllocUpdate, HasTheHealthAndTheNetwork) {
  AllocUpdate update;
  update.health = AllocHealth{true, 5};
  update.network = AllocationNetwork{"eth0", "172.26.64.2", "", {}};
  const json wire = WireAllocUpdate(update, "n");
  EXPECT_EQ(wire["DeploymentStatus"]["Healthy"], true);
  EXPECT_EQ(wire["DeploymentStatus"]["Timestamp"], WriteGoTime(5));
  EXPECT_EQ(wire["NetworkStatus"]["Address"], "172.26.64.2");
}

TEST(NodeUpdateAnswer, IsRead) {
  const json body = json::parse(R"({"HeartbeatTTL": 12859994077, "Index": 9, "NumNodes": 3,
      "LeaderRPCAddr": "10.0.0.1:4647", "SchedulingEligibility": "ineligible", "EvalIDs": null,
      "Servers": [{"RPCAdvertiseAddr": "10.0.0.1:4647", "Datacenter": "dc1"},
                  {"RPCAdvertiseAddr": "10.0.0.2:4647"}], "SignedIdentity": "a.b.c"})");
  const auto answer = ReadNodeUpdateAnswer(body);
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_EQ(answer->heartbeat_ttl, Duration(12859994077));
  EXPECT_EQ(answer->index, 9u);
  EXPECT_EQ(answer->leader, "10.0.0.1:4647");
  EXPECT_EQ(answer->servers, (std::vector<std::string>{"10.0.0.1:4647", "10.0.0.2:4647"}));
  EXPECT_FALSE(answer->eligible);
  EXPECT_EQ(answer->identity, "a.b.c");
  const auto none = ReadNodeUpdateAnswer({{"SignedIdentity", nullptr}});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->identity, "");
}

TEST(NodeUpdateAnswer, LimitsWhatAServerMaySay) {
  EXPECT_EQ(ReadNodeUpdateAnswer({{"HeartbeatTTL", 0}})->heartbeat_ttl,
            NodeUpdateAnswer::kShortestTtl);
  EXPECT_EQ(ReadNodeUpdateAnswer({{"HeartbeatTTL", -5}})->heartbeat_ttl,
            NodeUpdateAnswer::kShortestTtl);
  EXPECT_EQ(ReadNodeUpdateAnswer({{"HeartbeatTTL", 9'000'000'000'000'000'000}})->heartbeat_ttl,
            NodeUpdateAnswer::kLongestTtl);
  json servers = json::array();
  for (int i = 0; i < 65; ++i) servers.push_back({{"RPCAdvertiseAddr", "a"}});
  EXPECT_FALSE(ReadNodeUpdateAnswer({{"Servers", servers}}).ok());
  EXPECT_FALSE(ReadNodeUpdateAnswer({{"SignedIdentity", std::string(100'000, 'x')}}).ok());
}

TEST(NodeUpdateAnswer, NamesAMemberOfAWrongType) {
  const auto answer = ReadNodeUpdateAnswer({{"Index", 1}, {"NumNodes", "many"}});
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message().find("NumNodes: must be a whole number"), std::string::npos)
      << answer.error().message();
  EXPECT_FALSE(ReadNodeUpdateAnswer({{"Index", -1}}).ok());
  EXPECT_FALSE(ReadNodeUpdateAnswer({{"HeartbeatTTL", 1.5}}).ok());
  EXPECT_FALSE(ReadNodeUpdateAnswer({{"Servers", {{"a", 1}}}}).ok());
  EXPECT_FALSE(ReadNodeUpdateAnswer(json::array({1})).ok());
}

}  // namespace
}  // namespace drover
