// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What becomes of allocations on several nodes, of which some lose contact, drain, or are full.
#include <gmock/gmock.h>

#include "host/node_link/cluster_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NodeLossTest : public ::testing::Test {
 protected:
  static Job Web(int count, DisconnectPolicy policy = {}) {
    Job job = JobOfGroup("web", count);
    job.groups[0].rollout.max_parallel = 0;
    job.groups[0].disconnect = std::move(policy);
    return job;
  }
  // Cuts a node, and lets time pass until the server sees it.
  void Lose(const std::string& node) {
    cluster.node(node).link.Cut();
    ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf(node) != "ready"; }, 1min));
    cluster.loop.Advance(1s);
  }
  void Find(const std::string& node) {
    cluster.node(node).link.Mend();
    ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.StatusOf(node) == "ready"; }, 2min));
    cluster.loop.Advance(5s);
  }
  AllocRecords LiveOn(const std::string& node, const std::string& job = "web") const {
    AllocRecords out = cluster.Live(job);
    std::erase_if(out, [&](const auto& record) { return record->alloc->node_id != node; });
    return out;
  }
  ClientStatus Reported(const std::string& id) const {
    return cluster.Alloc(id)->reported.status.status;
  }

  SimulatedCluster cluster;
};

TEST_F(NodeLossTest, AllocationsSpreadOverTheNodes) {
  for (const char* id : {"n1", "n2", "n3"}) cluster.Add(id);
  cluster.MustRegister(Web(6));
  for (const char* id : {"n1", "n2", "n3"}) EXPECT_THAT(LiveOn(id), SizeIs(2)) << id;
  cluster.loop.Advance(1s);
  for (const char* id : {"n1", "n2", "n3"}) {
    EXPECT_THAT(cluster.node(id).Running(), SizeIs(2)) << "each runs its own";
  }
}

TEST_F(NodeLossTest, WhatWasOnALostNodeIsReplacedElsewhereAndNotBroughtBack) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(Web(2));
  cluster.loop.Advance(1s);
  const auto before = LiveOn("n1").at(0);
  Lose("n1");
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
  EXPECT_EQ(Reported(before->id()), ClientStatus::kLost);
  EXPECT_EQ(cluster.Alloc(before->id())->alloc->desired_status, DesiredStatus::kStop);
  EXPECT_THAT(LiveOn("n2"), SizeIs(2));
  const auto next = cluster.Alloc(cluster.Alloc(before->id())->next);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->alloc->index, before->alloc->index);
  EXPECT_THAT(next->changes().reschedules, IsEmpty()) << "a loss does not count";
  EXPECT_THAT(cluster.node("n1").Running(), Contains(before->id()));
  Find("n1");
  EXPECT_THAT(cluster.node("n1").Running(), IsEmpty()) << "the old one stops";
  EXPECT_EQ(Reported(before->id()), ClientStatus::kLost);
  EXPECT_THAT(cluster.Live("web"), SizeIs(2));
}

TEST_F(NodeLossTest, AnUnknownAllocationComesBackAndItsReplacementStops) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(Web(2, {.lost_after = 10min}));
  cluster.loop.Advance(1s);
  const std::string original = LiveOn("n1").at(0)->id();
  Lose("n1");
  EXPECT_EQ(cluster.StatusOf("n1"), "disconnected");
  EXPECT_EQ(Reported(original), ClientStatus::kUnknown);
  EXPECT_EQ(cluster.Alloc(original)->alloc->desired_status, DesiredStatus::kRun);
  ASSERT_THAT(LiveOn("n2"), SizeIs(2));
  Find("n1");
  EXPECT_EQ(Reported(original), ClientStatus::kRunning);
  EXPECT_THAT(cluster.node("n1").Running(), ElementsAre(original));
  EXPECT_THAT(LiveOn("n2"), SizeIs(1));
  EXPECT_EQ(cluster.node("n1").started.at(original), 1);
  EXPECT_EQ(cluster.Evals("web", "reconnect"), 1u);
  const auto& states = cluster.Alloc(original)->changes().states;
  ASSERT_THAT(states, SizeIs(2));
  EXPECT_EQ(states[1].to, ClientStatus::kRunning);
  cluster.loop.Advance(1h);
  EXPECT_THAT(cluster.Alloc(original)->changes().states, SizeIs(2)) << "once";
  EXPECT_THAT(cluster.Live("web"), SizeIs(2));
}

TEST_F(NodeLossTest, WhatStopsWithoutContactNeverRunsTwice) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(Web(2, {.stop_on_client_after = 2min}));
  cluster.loop.Advance(1s);
  const std::string original = LiveOn("n1").at(0)->id();
  Lose("n1");
  EXPECT_EQ(Reported(original), ClientStatus::kLost);
  cluster.loop.Advance(90s);
  cluster.RestartServer();  // the time goes on
  EXPECT_THAT(cluster.Live("web"), SizeIs(1));
  EXPECT_THAT(cluster.node("n1").Running(), ElementsAre(original));
  ASSERT_TRUE(cluster.loop.RunUntil([&] { return cluster.Live("web").size() == 2; }, 2min));
  EXPECT_THAT(cluster.node("n1").Running(), IsEmpty());
  EXPECT_FALSE(cluster.Alloc(original)->next.empty());
  EXPECT_THAT(LiveOn("n2"), SizeIs(2));
}

TEST_F(NodeLossTest, WhatANodeStopsBeforeTheServerMissesItHasNotCompleted) {
  for (const JobType type : {JobType::kBatch, JobType::kSystem, JobType::kService}) {
    SimulatedCluster of;
    SimulatedNode& node = of.Add("n1");
    Job job = Web(1, {.stop_on_client_after = 5s});
    job.type = type;
    of.MustRegister(job);
    of.loop.Advance(11s);
    const std::string id = of.Live("web").at(0)->id();
    node.link.Cut();
    ASSERT_TRUE(of.loop.RunUntil([&] { return node.Running().empty(); }, 17s));
    ASSERT_EQ(of.StatusOf("n1"), "ready");
    node.link.Mend();
    of.loop.Advance(1min);
    const AllocStatus status = of.Alloc(id)->reported.status;
    EXPECT_EQ(status.status, ClientStatus::kLost);
    EXPECT_EQ(status.description, "alloc was stopped without contact to the server");
    ASSERT_THAT(of.Live("web"), SizeIs(1)) << "another one does its work";
    EXPECT_THAT(node.Running(), ElementsAre(of.Live("web")[0]->id()));
  }
}

TEST_F(NodeLossTest, ANodeThatIsLostAgainAndAgainKeepsABoundedPast) {
  cluster.Add("n1");
  cluster.MustRegister(Web(1, {.lost_after = 10min, .replace = false}));
  cluster.loop.Advance(1s);
  const std::string id = LiveOn("n1").at(0)->id();
  for (std::size_t i = 0; i < kMostStates; ++i) {
    Lose("n1");
    EXPECT_EQ(Reported(id), ClientStatus::kUnknown);
    Find("n1");
    EXPECT_EQ(Reported(id), ClientStatus::kRunning);
  }
  EXPECT_THAT(cluster.Alloc(id)->changes().states, SizeIs(kMostStates));
  EXPECT_EQ(cluster.node("n1").started.at(id), 1);
}

TEST_F(NodeLossTest, TheReplacementMayStayInstead) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(
      Web(2, {.lost_after = 10min, .reconcile = DisconnectPolicy::Reconcile::kKeepReplacement}));
  cluster.loop.Advance(1s);
  const std::string original = LiveOn("n1").at(0)->id();
  Lose("n1");
  Find("n1");
  EXPECT_THAT(cluster.node("n1").Running(), IsEmpty());
  EXPECT_EQ(cluster.Alloc(original)->alloc->desired_status, DesiredStatus::kStop);
  EXPECT_THAT(LiveOn("n2"), SizeIs(2));
}

TEST_F(NodeLossTest, OfTwoNodesThatAreLostInTurnsTheOneThatIsThereRunsIt) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(
      Web(1, {.lost_after = 1h, .reconcile = DisconnectPolicy::Reconcile::kKeepReplacement}));
  cluster.loop.Advance(1s);
  const auto original = cluster.Live("web").at(0);
  const std::string here = original->alloc->node_id, there = here == "n1" ? "n2" : "n1";
  Lose(here);
  ASSERT_THAT(LiveOn(there), SizeIs(1));
  Lose(there);
  Find(here);
  EXPECT_THAT(cluster.node(here).Running(), ElementsAre(original->id()));
  EXPECT_EQ(Reported(original->id()), ClientStatus::kRunning);
  Find(there);
  EXPECT_THAT(cluster.node(here).Running(), ElementsAre(original->id()));
  EXPECT_THAT(cluster.node(there).Running(), IsEmpty());
  EXPECT_THAT(cluster.AllocsOf("web"), SizeIs(2));
}

TEST_F(NodeLossTest, AThousandThatComeBackAtOnceAreHandledOnce) {
  for (const char* id : {"n1", "n2"}) {
    NodeRecord record;
    record.id = record.name = id;
    record.cpu_mhz = record.memory_mb = record.disk_mb = 100'000'000;
    cluster.Add(record);
  }
  cluster.MustRegister(Web(2000, {.lost_after = 1h}));
  cluster.loop.Advance(1min);
  const auto originals = LiveOn("n1");
  ASSERT_THAT(originals, SizeIs(1000));
  Lose("n1");
  cluster.loop.Advance(1min);
  ASSERT_THAT(LiveOn("n2"), SizeIs(2000));
  Find("n1");
  cluster.loop.Advance(1min);
  EXPECT_EQ(cluster.Evals("web", "reconnect"), 1u);
  EXPECT_THAT(cluster.node("n1").Running(), SizeIs(1000));
  EXPECT_THAT(cluster.node("n2").Running(), SizeIs(1000));
  EXPECT_THAT(cluster.Live("web"), SizeIs(2000));
  for (const auto& record : originals) EXPECT_EQ(Reported(record->id()), ClientStatus::kRunning);
}

TEST_F(NodeLossTest, WithoutAReplacementItIsAwaited) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(Web(2, {.lost_after = 10min, .replace = false}));
  cluster.loop.Advance(1s);
  const std::string original = LiveOn("n1").at(0)->id();
  Lose("n1");
  EXPECT_EQ(Reported(original), ClientStatus::kUnknown);
  EXPECT_THAT(LiveOn("n2"), SizeIs(1));
  Find("n1");
  EXPECT_EQ(Reported(original), ClientStatus::kRunning);
  EXPECT_THAT(cluster.AllocsOf("web"), SizeIs(2));
}

TEST_F(NodeLossTest, AnUnknownOneIsLostWhenItsTimeIsOver) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(Web(2, {.lost_after = 2min}));
  cluster.loop.Advance(1s);
  const std::string original = LiveOn("n1").at(0)->id();
  Lose("n1");
  EXPECT_EQ(Reported(original), ClientStatus::kUnknown);
  cluster.loop.Advance(2min);
  EXPECT_EQ(Reported(original), ClientStatus::kLost);
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
  Find("n1");
  EXPECT_THAT(cluster.node("n1").Running(), IsEmpty());
  EXPECT_THAT(cluster.Live("web"), SizeIs(2));
}

TEST_F(NodeLossTest, AServerThatEndsInBetweenForgetsNothing) {
  cluster.Add("n1");
  cluster.Add("n2");
  cluster.MustRegister(Web(2, {.lost_after = 2min}));
  cluster.loop.Advance(1s);
  const std::string original = LiveOn("n1").at(0)->id();
  Lose("n1");
  cluster.RestartServer();
  cluster.loop.Advance(5min);
  EXPECT_EQ(Reported(original), ClientStatus::kLost) << "its time was over";
  EXPECT_EQ(cluster.StatusOf("n1"), "down");
  EXPECT_THAT(cluster.Live("web"), SizeIs(2));
}

TEST_F(NodeLossTest, WhoDoesNotAllowItIsLostOnADisconnectedNode) {
  cluster.Add("n1");
  Job other = JobOfGroup("db", 1);
  other.groups[0].rollout.max_parallel = 0;
  cluster.MustRegister(other);
  cluster.MustRegister(Web(1, {.lost_after = 10min}));
  cluster.loop.Advance(1s);
  Lose("n1");
  EXPECT_EQ(cluster.StatusOf("n1"), "disconnected");
  EXPECT_EQ(Reported(cluster.AllocsOf("db").at(0)->id()), ClientStatus::kLost);
  EXPECT_EQ(Reported(cluster.AllocsOf("web").at(0)->id()), ClientStatus::kUnknown);
}

TEST_F(NodeLossTest, ASystemJobComesToEachNewNodeOnce) {
  cluster.Add("n1");
  Job job = JobOfGroup("agent", 1);
  job.type = JobType::kSystem;
  job.groups[0].rollout.max_parallel = 0;
  cluster.MustRegister(job);
  EXPECT_THAT(LiveOn("n1", "agent"), SizeIs(1));
  cluster.Add("n2");
  EXPECT_THAT(LiveOn("n2", "agent"), SizeIs(1));
  cluster.loop.Advance(1min);
  EXPECT_THAT(cluster.AllocsOf("agent"), SizeIs(2));
  Lose("n2");
  EXPECT_THAT(LiveOn("n1", "agent"), SizeIs(1)) << "it does not move";
  EXPECT_THAT(LiveOn("n2", "agent"), IsEmpty());
  Find("n2");
  EXPECT_THAT(LiveOn("n2", "agent"), SizeIs(1));
}

TEST_F(NodeLossTest, WhatWaitsGoesOnByPriorityAndAgeWhenANodeComes) {
  cluster.Add("n1");
  cluster.MustRegister(JobOfGroup("full", 1, 900));
  const auto waiting = [](const std::string& id, int priority) {
    Job job = JobOfGroup(id, 1, 600);
    job.priority = priority;
    return job;
  };
  cluster.MustRegister(waiting("old", 50));
  cluster.MustRegister(waiting("young", 50));
  cluster.MustRegister(waiting("high", 55));
  cluster.Add("n2");
  EXPECT_THAT(LiveOn("n2", "high"), SizeIs(1));
  cluster.Add("n3");
  EXPECT_THAT(LiveOn("n3", "old"), SizeIs(1));
  EXPECT_THAT(cluster.Live("young"), IsEmpty());
  ASSERT_TRUE(cluster.scheduler()->Deregister({"default", "high"}, false, false).ok());
  cluster.loop.Advance(5s);
  EXPECT_THAT(LiveOn("n2", "young"), SizeIs(1)) << "room on any node is enough";
}

TEST_F(NodeLossTest, APortIsTakenOnOneNodeOnly) {
  cluster.Add("n1");
  cluster.Add("n2");
  Job job = Web(3);
  Port port;
  port.label = "http";
  port.value = 8080;
  Network network;
  network.reserved_ports.push_back(port);
  job.groups[0].networks.push_back(network);
  cluster.MustRegister(job);
  EXPECT_THAT(LiveOn("n1"), SizeIs(1));
  EXPECT_THAT(LiveOn("n2"), SizeIs(1));
  cluster.Add("n3");
  EXPECT_THAT(LiveOn("n3"), SizeIs(1));
  for (const char* id : {"n1", "n2", "n3"}) EXPECT_EQ(cluster.ports[id].taken(), 1u);
}

TEST_F(NodeLossTest, DistinctHostsCountEachNode) {
  cluster.Add("n1");
  cluster.Add("n2");
  Job job = Web(3);
  job.constraints.push_back({"", "distinct_hosts", ""});
  cluster.MustRegister(job);
  EXPECT_THAT(LiveOn("n1"), SizeIs(1));
  EXPECT_THAT(LiveOn("n2"), SizeIs(1));
  EXPECT_THAT(cluster.Live("web"), SizeIs(2)) << "the third waits for a node";
}

TEST_F(NodeLossTest, DistinctPropertyCountsAllNodesThatShareIt) {
  for (const auto& [id, rack] : StringMap{{"n1", "a"}, {"n2", "a"}, {"n3", "b"}, {"n4", ""}}) {
    NodeRecord record;
    record.id = record.name = id;
    record.cpu_mhz = record.memory_mb = 1000;
    record.disk_mb = 1'000'000;
    if (!rack.empty()) record.meta["rack"] = rack;
    cluster.Add(record);
  }
  Job job = Web(3);
  job.constraints.push_back({"${meta.rack}", "distinct_property", ""});
  cluster.MustRegister(job);
  EXPECT_EQ(LiveOn("n1").size() + LiveOn("n2").size(), 1u);
  EXPECT_THAT(LiveOn("n3"), SizeIs(1));
  EXPECT_THAT(cluster.Live("web"), SizeIs(2)) << "the third waits for a rack";
  cluster.loop.Advance(1s);
  // A newer version takes their places, also on the other node of a rack, and nothing in place.
  job.groups[0].count = 2;
  job.groups[0].tasks[0].config_json = R"({"run_for": "1h"})";
  cluster.MustRegister(job);
  cluster.loop.Advance(1min);
  EXPECT_EQ(LiveOn("n1").size() + LiveOn("n2").size(), 1u);
  EXPECT_THAT(LiveOn("n3"), SizeIs(1));
  // What can be changed in place stays.
  const auto before = LiveOn("n3").at(0)->id();
  job.groups[0].disconnect.reconcile = DisconnectPolicy::Reconcile::kKeepOriginal;
  cluster.MustRegister(job);
  EXPECT_EQ(LiveOn("n3").at(0)->id(), before);
}

TEST_F(NodeLossTest, WithOneNodeLeftDistinctHostsCountsThatNode) {
  cluster.Add("n1");
  cluster.Add("n2");
  Job job = Web(1, {.lost_after = 10min});
  job.constraints.push_back({"", "distinct_hosts", ""});
  cluster.MustRegister(job);
  cluster.loop.Advance(1s);
  const std::string node = cluster.Live("web").at(0)->alloc->node_id;
  Lose(node);
  EXPECT_THAT(LiveOn(node == "n1" ? "n2" : "n1"), SizeIs(1)) << "the other one is empty";
}

TEST_F(NodeLossTest, ADrainWaitsUntilAReplacementElsewhereIsHealthy) {
  cluster.Add("n1");
  cluster.MustRegister(Web(3));
  cluster.loop.Advance(1s);
  SimulatedNode& other = cluster.Add("n2");
  ASSERT_TRUE(cluster.scheduler()->Drain("n1", DrainSpec{1h}, false, {}).ok());
  cluster.loop.Advance(5s);
  ASSERT_THAT(LiveOn("n2"), SizeIs(1));
  EXPECT_THAT(LiveOn("n1"), SizeIs(2)) << "one at a time";
  for (std::size_t moved = 1; moved <= 3; ++moved) {
    ASSERT_THAT(LiveOn("n2"), SizeIs(moved));
    EXPECT_THAT(LiveOn("n1"), SizeIs(3 - moved));
    for (const auto& record : LiveOn("n2")) {
      if (!record->reported.health) other.runner(record->id())->Judge(true);
    }
    cluster.loop.Advance(5s);
  }
  EXPECT_FALSE(cluster.Node("n1")->drain.has_value());
  EXPECT_EQ(cluster.Node("n1")->last_drain->status, "complete");
}

// After a start of the server, one node may be there before the others.
TEST_F(NodeLossTest, WhatMayStayIsNotReplacedBeforeItsNodeHasRegistered) {
  cluster.Add("n1");
  cluster.Add("n2").link.delay = 3s;
  cluster.loop.Advance(30s);
  Job job = Web(2);
  cluster.MustRegister(job);
  cluster.loop.Advance(30s);
  ASSERT_THAT(LiveOn("n2"), SizeIs(1));
  const std::string id = LiveOn("n2").at(0)->id();
  cluster.RestartServer();
  cluster.loop.Advance(1s);
  job.priority = 60;
  cluster.MustRegister(job);
  cluster.loop.Advance(1min);
  EXPECT_EQ(cluster.StatusOf("n2"), "ready");
  EXPECT_EQ(cluster.Alloc(id)->alloc->desired_status, DesiredStatus::kRun);
  EXPECT_EQ(cluster.Alloc(id)->job->version, 1u);
}

TEST_F(NodeLossTest, WhatDisplacesOthersStartsAfterTheirEnd) {
  SchedulerOptions options;
  options.preemption.service = true;
  SimulatedCluster of(options);
  SimulatedNode& node = of.Add("n1");
  Job low = JobOfGroup("low", 1, 900);
  low.priority = 10;
  of.MustRegister(low);
  of.loop.Advance(1s);
  const std::string victim = of.AllocsOf("low").at(0)->id();
  node.link.Cut();  // so that the node hears of the end later
  Job high = JobOfGroup("high", 1, 500);
  high.priority = 90;
  of.MustRegister(high);
  const std::string id = of.AllocsOf("high").at(0)->id();
  EXPECT_EQ(of.Alloc(victim)->alloc->desired_status, DesiredStatus::kEvict);
  node.link.Mend();
  of.loop.Advance(30s);
  EXPECT_THAT(node.Running(), ElementsAre(id));
  EXPECT_EQ(of.Alloc(victim)->reported.status.status, ClientStatus::kComplete);
}

}  // namespace
}  // namespace drover
