// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Nodes that lose the contact to their server, at any moment and in any direction.
#include <gmock/gmock.h>

#include "host/node_link/cluster_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class NodeContactTest : public ::testing::Test {
 protected:
  static Job WithLostAfter(Job job, Duration lost_after) {
    job.groups[0].disconnect.lost_after = lost_after;
    return job;
  }
  ClientStatus Reported(const std::string& id) const {
    return cluster.Alloc(id)->reported.status.status;
  }
  std::vector<std::string> Events(const std::string& node) const {
    std::vector<std::string> messages;
    for (const NodeEvent& event : cluster.Node(node)->events) messages.push_back(event.message);
    return messages;
  }

  SimulatedCluster cluster;
};

TEST_F(NodeContactTest, ANodeThatFallsSilentIsDownAndHeartbeatsBeforeItReports) {
  SimulatedNode& node = cluster.Add("n1");
  EXPECT_EQ(cluster.StatusOf("n1"), "ready");
  cluster.MustRegister(JobOfGroup("web", 2));
  cluster.loop.Advance(1s);
  ASSERT_THAT(node.Running(), SizeIs(2));
  node.link.Cut();
  cluster.loop.Advance(18s);
  EXPECT_EQ(cluster.StatusOf("n1"), "ready") << "one heartbeat more may be missing";
  cluster.loop.Advance(12s);
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
  EXPECT_THAT(node.Running(), SizeIs(2)) << "its tasks do not depend on the contact";
  EXPECT_GT(cluster.Evals("web", "node-update"), 0u);
  EXPECT_EQ(
      cluster.Await<Status>(cluster.scheduler()->UpdateAllocs(Context(&cluster.loop), "n1", {}))
          .code(),
      Code::kFailedPrecondition);
  node.link.Mend();
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "ready"; }, 60s));
  EXPECT_THAT(Events("n1"), ElementsAre("Node registered", "Node heartbeat missed",
                                        "Node reregistered by heartbeat"));
}

TEST_F(NodeContactTest, ANodeWithoutAllocationsComesBackToo) {
  SimulatedNode& node = cluster.Add("n1");
  node.link.Cut();
  cluster.loop.Advance(5min);
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
  node.link.Mend();
  EXPECT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "ready"; }, 60s));
}

TEST_F(NodeContactTest, ANodeThatIsBackIsNotReadyBeforeItsReport) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(JobOfGroup("web", 1));
  cluster.loop.Advance(1s);
  node.link.Cut();
  cluster.loop.Advance(5min);
  ASSERT_EQ(cluster.StatusOf("n1"), "down");
  Context context(&cluster.loop);
  Scheduler* const scheduler = cluster.scheduler();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cluster.Await<Result<Duration>>(scheduler->Heartbeat(context, "n1")).code(),
              Code::kFailedPrecondition);
    EXPECT_EQ(cluster.StatusOf("n1"), "initializing");
  }
  cluster.MustRegister(JobOfGroup("late", 1));
  EXPECT_THAT(cluster.Live("late"), IsEmpty()) << "it gets nothing new yet";
  // A batch from before the loss does not have all of its allocations.
  EXPECT_EQ(cluster.Await<Status>(scheduler->UpdateAllocs(context, "n1", {})).code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(cluster.StatusOf("n1"), "initializing");
  EXPECT_TRUE(cluster.Await<Status>(scheduler->ReportAllocs(context, "n1", {})).ok());
  EXPECT_EQ(cluster.StatusOf("n1"), "ready");
  EXPECT_THAT(cluster.Live("late"), SizeIs(1)) << "what waited has room";
  EXPECT_TRUE(cluster.Await<Result<Duration>>(scheduler->Heartbeat(context, "n1")).ok());
}

// The node does not hear that it must report all, and what it sends has only one of them.
TEST_F(NodeContactTest, SomeUpdatesDoNotStandForAllAllocations) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(WithLostAfter(JobOfGroup("web", 2), 1h));
  cluster.loop.Advance(1s);
  const auto allocs = cluster.AllocsOf("web");
  ASSERT_THAT(allocs, SizeIs(2));
  node.link.Cut();
  ASSERT_TRUE(
      cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "disconnected"; }, 1min));
  cluster.loop.Advance(1s);
  ASSERT_EQ(Reported(allocs[1]->id()), ClientStatus::kUnknown);
  node.link.drops_requests = false;
  ASSERT_TRUE(
      cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "initializing"; }, 1min));
  node.runner(allocs[0]->id())->End(true);
  cluster.loop.Advance(1s);
  EXPECT_EQ(cluster.StatusOf("n1"), "initializing");
  node.link.Mend();
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "ready"; }, 2min));
  cluster.loop.Advance(1s);
  EXPECT_EQ(Reported(allocs[0]->id()), ClientStatus::kFailed);
  EXPECT_EQ(Reported(allocs[1]->id()), ClientStatus::kRunning);
}

TEST_F(NodeContactTest, AServerThatEndsBeforeTheReportLetsTheNextOneAskForIt) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(WithLostAfter(JobOfGroup("web", 2), 1h));
  cluster.loop.Advance(1s);
  node.link.Cut();
  ASSERT_TRUE(
      cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "disconnected"; }, 1min));
  cluster.loop.Advance(1s);
  node.link.drops_requests = false;  // the server hears the heartbeat, and the node hears nothing
  ASSERT_TRUE(
      cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "initializing"; }, 1min));
  cluster.RestartServer();
  node.link.Mend();
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "ready"; }, 2min));
  cluster.loop.Advance(1s);
  for (const auto& record : cluster.AllocsOf("web")) {
    EXPECT_EQ(record->reported.status.status, ClientStatus::kRunning);
    EXPECT_EQ(node.started.at(record->id()), 1);
  }
  EXPECT_THAT(cluster.AllocsOf("web"), SizeIs(2));
}

TEST_F(NodeContactTest, AHeartbeatThatIsOnlyLateIsAnsweredWithTheSameDemand) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(JobOfGroup("web", 3));
  cluster.loop.Advance(1s);
  node.link.delay = 25s;  // the node never sees an error
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "down"; }, 60s));
  node.link.delay = 10ms;
  EXPECT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "ready"; }, 5min));
}

TEST_F(NodeContactTest, ALinkThatLosesAnswersKeepsTheNodeReady) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(JobOfGroup("web", 1));
  cluster.loop.Advance(1s);
  const std::string id = cluster.AllocsOf("web").at(0)->id();
  node.link.drops_answers = true;
  node.runner(id)->End(false);
  for (int i = 0; i < 30; ++i) {
    cluster.loop.Advance(1s);
    EXPECT_NE(cluster.StatusOf("n1"), "initializing");
  }
  EXPECT_EQ(Reported(id), ClientStatus::kComplete) << "reports arrive, and arrive again";
  node.link.Mend();
  cluster.loop.Advance(1min);
  EXPECT_EQ(cluster.StatusOf("n1"), "ready");
}

TEST_F(NodeContactTest, WhileAllocationsMayBeUnknownTheNodeIsDisconnected) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(WithLostAfter(JobOfGroup("web", 1), 2min));
  cluster.MustRegister(WithLostAfter(JobOfGroup("db", 1), 10min));
  cluster.loop.Advance(1s);
  node.link.Cut();
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") != "ready"; }, 40s));
  EXPECT_EQ(cluster.StatusOf("n1"), "disconnected");
  const TimePoint since = cluster.loop.Now();
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == "down"; }, 1h));
  EXPECT_EQ(cluster.loop.Now() - since, 10min);
}

// As a job of an older version of this program may have them.
TEST_F(NodeContactTest, TimesBeyondAnyBoundDoNotOverflow) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(WithLostAfter(JobOfGroup("web", 1), Duration::max()));
  Job stops = JobOfGroup("db", 1);
  stops.groups[0].disconnect.stop_on_client_after = Duration::max();
  cluster.MustRegister(stops);
  cluster.loop.Advance(1s);
  node.link.Cut();
  cluster.loop.Advance(5min);
  EXPECT_EQ(cluster.StatusOf("n1"), "disconnected");
  EXPECT_THAT(node.Running(), SizeIs(2));
}

TEST_F(NodeContactTest, ThreeNodesAreLostAndFoundEachByItself) {
  for (const char* id : {"n1", "n2", "n3"}) cluster.Add(id);
  cluster.node("n2").link.Cut();
  cluster.loop.Advance(2min);
  EXPECT_EQ(cluster.StatusOf("n1"), "ready");
  EXPECT_EQ(cluster.StatusOf("n2"), "down");
  EXPECT_EQ(cluster.StatusOf("n3"), "ready");
  cluster.node("n1").link.Cut();
  cluster.node("n2").link.Mend();
  cluster.loop.Advance(2min);
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
  EXPECT_EQ(cluster.StatusOf("n2"), "ready");
  EXPECT_EQ(cluster.StatusOf("n3"), "ready");
}

TEST_F(NodeContactTest, TheNextServerKnowsWhoWasLostAndStartsNothingTwice) {
  cluster.Add("n1");
  SimulatedNode& lost = cluster.Add("n2");
  cluster.MustRegister(JobOfGroup("web", 4));
  cluster.loop.Advance(1s);
  lost.link.Cut();
  cluster.loop.Advance(2min);
  ASSERT_EQ(cluster.StatusOf("n2"), "down");
  cluster.RestartServer();
  EXPECT_EQ(cluster.StatusOf("n2"), "down");
  cluster.loop.Advance(1min);
  EXPECT_EQ(cluster.StatusOf("n1"), "ready");
  EXPECT_EQ(cluster.StatusOf("n2"), "down");
  lost.link.Mend();
  cluster.loop.Advance(1min);
  EXPECT_EQ(cluster.StatusOf("n2"), "ready");
  for (const char* id : {"n1", "n2"}) {
    for (const auto& [alloc, times] : cluster.node(id).started) EXPECT_EQ(times, 1) << alloc;
  }
}

TEST_F(NodeContactTest, TheNextServerAsksAnewForTheReportThatTheNodeNeverHeardOf) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(WithLostAfter(JobOfGroup("web", 1), 10min));
  cluster.loop.Advance(1s);
  const std::string id = cluster.AllocsOf("web").at(0)->id();
  node.link.Cut();
  const auto is = [&](const std::string& status) {
    return cluster.loop.RunUntil([&] { return cluster.StatusOf("n1") == status; }, 1min);
  };
  ASSERT_TRUE(is("disconnected"));
  cluster.loop.Advance(1s);
  ASSERT_EQ(Reported(id), ClientStatus::kUnknown);
  node.link.drops_requests = false;
  ASSERT_TRUE(is("initializing"));
  cluster.RestartServer();
  node.link.Mend();
  cluster.loop.Advance(1min);
  EXPECT_EQ(cluster.StatusOf("n1"), "ready");
  EXPECT_EQ(Reported(id), ClientStatus::kRunning);
}

TEST_F(NodeContactTest, ANodeThatIsGoneWithAnEarlierServerIsDownInTime) {
  SimulatedNode& node = cluster.Add("n1");
  node.Stop();
  cluster.RestartServer();
  cluster.loop.Advance(19s);
  EXPECT_EQ(cluster.StatusOf("n1"), "initializing");
  cluster.loop.Advance(2s);
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
}

TEST_F(NodeContactTest, AnAllocationMayStopWithoutContact) {
  SimulatedNode& node = cluster.Add("n1");
  Job job = JobOfGroup("web", 1);
  job.groups[0].disconnect.stop_on_client_after = 30s;
  cluster.MustRegister(job);
  cluster.MustRegister(JobOfGroup("db", 1));
  cluster.loop.Advance(1min);
  ASSERT_THAT(node.Running(), SizeIs(2)) << "there is contact";
  node.link.Cut();
  cluster.loop.Advance(29s);
  EXPECT_THAT(node.Running(), SizeIs(2));
  cluster.loop.Advance(12s);
  EXPECT_THAT(node.Running(), ElementsAre(cluster.AllocsOf("db").at(0)->id()));
}

TEST_F(NodeContactTest, ALimitBelowTheTimeBetweenHeartbeatsStopsNothingThatHasContact) {
  SimulatedNode& node = cluster.Add("n1");
  Job job = JobOfGroup("web", 1);
  job.groups[0].disconnect.stop_on_client_after = 2s;
  cluster.MustRegister(job);
  cluster.loop.Advance(5min);
  EXPECT_THAT(node.Running(), SizeIs(1));
  EXPECT_THAT(cluster.AllocsOf("web"), SizeIs(1));
  node.link.Cut();
  cluster.loop.Advance(20s);
  EXPECT_THAT(node.Running(), IsEmpty());
}

TEST_F(NodeContactTest, ACutAtAnyMomentOfAStartLosesNothing) {
  for (int moment = 0; moment < 60; ++moment) {
    SimulatedCluster at;
    SimulatedNode& node = at.Add("n1");
    node.link.delay = 50ms;
    at.loop.Advance(1s);
    at.MustRegister(JobOfGroup("web", 2));
    at.loop.Advance(moment * 10ms);
    node.link.Cut();
    at.loop.Advance(moment % 3 == 0 ? 5s : 3min);
    node.link.Mend();
    at.loop.Advance(10min);
    EXPECT_EQ(at.StatusOf("n1"), "ready") << moment;
    std::size_t running = 0;
    for (const auto& record : at.Live("web")) {
      running += record->reported.status.status == ClientStatus::kRunning;
    }
    EXPECT_EQ(running, 2u) << moment;
    EXPECT_THAT(node.Running(), SizeIs(2)) << moment;
  }
}

TEST_F(NodeContactTest, ANodeThatIsDownCanBePurged) {
  SimulatedNode& node = cluster.Add("n1");
  Scheduler* const scheduler = cluster.scheduler();
  EXPECT_EQ(scheduler->PurgeNode("unknown").code(), Code::kNotFound);
  EXPECT_EQ(scheduler->PurgeNode("n1").code(), Code::kFailedPrecondition);
  node.link.Cut();
  cluster.loop.Advance(1min);
  ASSERT_TRUE(scheduler->PurgeNode("n1").ok());
  EXPECT_EQ(cluster.Node("n1"), nullptr);
  node.link.Mend();
  cluster.loop.Advance(2min);
  EXPECT_EQ(cluster.StatusOf("n1"), "ready") << "it registers again";
}

TEST_F(NodeContactTest, WhatMustStopOnALostNodeIsLost) {
  SimulatedNode& node = cluster.Add("n1");
  cluster.MustRegister(JobOfGroup("web", 1));
  cluster.loop.Advance(1s);
  const std::string id = cluster.AllocsOf("web").at(0)->id();
  node.link.Cut();
  ASSERT_TRUE(cluster.scheduler()->Deregister({"default", "web"}, false, false).ok());
  cluster.loop.Advance(1min);
  EXPECT_EQ(Reported(id), ClientStatus::kLost);
  EXPECT_THAT(node.Running(), Contains(id)) << "nobody could stop it";
  node.link.Mend();
  cluster.loop.Advance(1min);
  EXPECT_THAT(node.Running(), Not(Contains(id)));
  EXPECT_EQ(Reported(id), ClientStatus::kLost) << "it stays what clients have seen";
}

}  // namespace
}  // namespace drover
