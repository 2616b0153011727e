// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/api_fixture.h"
#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

class NodeRouteTest : public ApiFixture {};

TEST_F(NodeRouteTest, FiltersLookAtTheWholeNode) {
  NodeRecord node;
  node.id = "node";
  node.name = "n1";
  node.http_address = "127.0.0.1:4711";
  node.version = "1.2.3";
  node.attributes = {{"kernel.name", "linux"}};
  node.drivers["exec"] = {true, true, "Healthy", {}, 0};
  ASSERT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
  const auto chosen = [this](const std::string& filter) {
    return Get("/v1/nodes?filter=" + filter).size();
  };
  EXPECT_EQ(chosen(R"(Attributes["kernel.name"] == "linux")"), 1u);
  EXPECT_EQ(chosen(R"(Attributes["kernel.name"] == "windows")"), 0u);
  EXPECT_EQ(chosen(R"("/Attributes/kernel.name" == linux and Meta is empty)"), 1u);
  EXPECT_EQ(chosen("Drivers.exec.Healthy == true and DrainStrategy is nil"), 1u);
  EXPECT_EQ(chosen("any Drivers as name, driver { name == exec and driver.Detected == true }"), 1u);
  EXPECT_EQ(chosen("Address == 127.0.0.1 and Version == 1.2.3"), 1u) << "what only the list has";
  EXPECT_EQ(Get("/v1/nodes?filter=Name == n1")[0]["Attributes"], nullptr);
  EXPECT_EQ(
      Refusal("GET", "/v1/nodes?filter=Nmae == n1"),
      "400 failed to read result page: error finding value in datum: /Nmae at part 0: couldn't "
      "find key: struct field with name \"Nmae\"");
}

TEST_F(NodeRouteTest, EventsAreToldAsClientsReadThem) {
  RegisterNode();
  Must("PUT", "/v1/node/node/eligibility", {{"Eligibility", "ineligible"}});
  const json events = Get("/v1/node/node")["Events"];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["Message"], "Node registered");
  EXPECT_EQ(events[1], json({{"Message", "Node marked as ineligible for scheduling"},
                             {"Subsystem", "Cluster"},
                             {"Details", nullptr},
                             {"Timestamp", Rfc3339(loop.Wall())},
                             {"CreateIndex", 0}}));
}

TEST_F(NodeRouteTest, ANodeIsEvaluatedAndPurged) {
  RegisterNode();
  Must("PUT", "/v1/jobs", JobBody("web"));
  const json evaluated = Must("PUT", "/v1/node/node/evaluate");
  ASSERT_EQ(evaluated["EvalIDs"].size(), 1u);
  const json eval = Get("/v1/evaluation/" + evaluated["EvalIDs"][0].get<std::string>());
  EXPECT_EQ(eval["TriggeredBy"], "node-update");
  EXPECT_EQ(eval["NodeID"], "node");
  EXPECT_EQ(eval["JobID"], "web");
  EXPECT_EQ(Refusal("PUT", "/v1/node/none/evaluate"), "404 node not found");
  EXPECT_EQ(Refusal("PUT", "/v1/node/none/purge"), "404 node not found");
  const std::string refused = Refusal("PUT", "/v1/node/node/purge");
  EXPECT_NE(refused.find("is ready: only a node that is down can be purged"), std::string::npos)
      << refused;
  EXPECT_EQ(Get("/v1/nodes").size(), 1u);
  Gate gate(&loop);
  Context life(&loop);
  EXPECT_TRUE(gate.Spawn(scheduler.Run(life)));
  loop.Advance(30s);
  EXPECT_EQ(Get("/v1/node/node")["Status"], "down");
  const json purged = Must("PUT", "/v1/node/node/purge");
  EXPECT_EQ(purged["HeartbeatTTL"], 0);
  EXPECT_EQ(Get("/v1/nodes").size(), 0u);
  EXPECT_EQ(Get("/v1/job/web/allocations")[0]["ClientStatus"], "lost");
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

}  // namespace
}  // namespace drover
