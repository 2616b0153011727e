// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/node_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/scheduler/scheduler_fixture.h"
#include "host/state/record_json.h"

namespace drover {
namespace {

using ::testing::ElementsAre;

class NodeEventsTest : public SchedulerFixture {
 protected:
  void Register(bool healthy) {
    NodeRecord node;
    node.id = "node";
    node.version = "1";
    node.cpu_mhz = node.memory_mb = 10'000;
    node.disk_mb = 1'000'000;
    node.drivers["exec"] = {true, healthy, healthy ? "Healthy" : "it hangs", {}, 0};
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }
  std::shared_ptr<const NodeRecord> Node() {
    std::shared_ptr<const NodeRecord> node;
    store.Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, "node"); });
    return node;
  }
  std::vector<std::string> Messages() {
    std::vector<std::string> messages;
    for (const NodeEvent& event : Node()->events) messages.push_back(event.message);
    return messages;
  }
  void Drain(std::optional<DrainSpec> spec, bool mark_eligible = false) {
    ASSERT_TRUE(scheduler.Drain("node", spec, mark_eligible, {}).ok());
  }
};

TEST_F(NodeEventsTest, TheLifeOfANode) {
  Register(true);
  EXPECT_THAT(Messages(), ElementsAre("Node registered"));
  Register(true);
  EXPECT_THAT(Messages(), ElementsAre("Node registered")) << "nothing has happened";
  loop.Advance(5s);
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  EXPECT_EQ(Node()->events.back().time, loop.Wall());
  EXPECT_EQ(Node()->events.back().subsystem, "Cluster");
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  Register(false);
  EXPECT_EQ(Node()->events.back(),
            (NodeEvent{"Driver", "it hangs", {{"driver", "exec"}}, loop.Wall()}));
  EXPECT_THAT(Messages(), ElementsAre("Node registered", "Node marked as ineligible for scheduling",
                                      "Node marked as eligible for scheduling", "it hangs"));
}

TEST_F(NodeEventsTest, Drains) {
  Register(true);
  MustRegister(Registration("web", 1));
  Drain(DrainSpec{60s});
  EXPECT_EQ(Node()->events.back().subsystem, "Drain");
  Drain(DrainSpec{90s});
  Drain(std::nullopt, true);
  Drain(std::nullopt, true);
  EXPECT_THAT(Messages(), ElementsAre("Node registered", "Node drain strategy set",
                                      "Node drain strategy updated", "Node drain disabled",
                                      "Node marked as eligible for scheduling"));
}

TEST_F(NodeEventsTest, ADrainThatIsOverSaysHow) {
  Register(true);
  Drain(DrainSpec{60s});
  EXPECT_EQ(Node()->events.back().message, "Node drain complete") << "there was nothing to drain";
  EXPECT_TRUE(Node()->events.back().details.empty());
  Drain(DrainSpec{-1s});
  EXPECT_EQ(Node()->events.back().message, "Node drain complete");
  EXPECT_EQ(Node()->events.back().details, (StringMap{{"deadline_reached", "true"}}));
}

TEST_F(NodeEventsTest, TheNewestAreKeptAlsoByTheNextAgent) {
  Register(true);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(scheduler.SetEligible("node", i % 2 == 1).ok());
  EXPECT_EQ(Node()->events.size(), 9u);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(scheduler.SetEligible("node", i % 2 == 1).ok());
  EXPECT_EQ(Node()->events.size(), kMaxNodeEvents);
  const auto kept = DecodeNode(EncodeRecord(*Node()));
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  EXPECT_EQ((*kept)->events, Node()->events);
  NodeRecord next;
  next.version = "2";
  next.drivers["exec"] = {true, false, "gone", {}, 0};
  AddRegistration(&next, kept->get(), loop.Wall());
  EXPECT_EQ(next.events.size(), kMaxNodeEvents);
  EXPECT_EQ(next.events.back().message, "Node re-registered");
}

}  // namespace
}  // namespace drover
