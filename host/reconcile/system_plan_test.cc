// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/reconcile_fixture.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class SystemPlanTest : public ReconcileFixture {
 protected:
  SystemPlanTest() {
    AddNode("n2");
    AddNode("n3");
    NewVersion([](TaskGroup*) {}, JobType::kSystem);
  }
  static std::vector<std::string> NodesOf(const GroupPlan& plan) {
    std::vector<std::string> out;
    for (const auto& place : plan.place) out.push_back(place.node_id);
    return out;
  }
};

TEST_F(SystemPlanTest, EachNodeThatMayHaveOneGetsOne) {
  AddNode("n4", "ready", false);
  AddNode("n5", "down");
  AddNode("n6");
  refused = {"n6"};
  Add(0, "n2");
  EXPECT_THAT(NodesOf(Plan()), ElementsAre("n1", "n3"));
  EXPECT_EQ(Plan().ignore, 1);
}

TEST_F(SystemPlanTest, ANodeThatTakesNothingNewKeepsWhatItHas) {
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  AddNode("n2", "ready", false);
  EXPECT_THAT(Plan().stop, IsEmpty());
  EXPECT_THAT(Plan().place, IsEmpty());
}

TEST_F(SystemPlanTest, OnALostNodeItEndsAndNothingIsPlacedElsewhere) {
  Add(0, "n1");
  const auto lost = Add(0, "n2");
  Add(0, "n3");
  AddNode("n2", "down");
  const GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(lost->id(), stop_reason::kLost)));
  EXPECT_THAT(plan.place, IsEmpty());
  AllocOf(lost)->desired_status = DesiredStatus::kStop;
  AllocOf(lost)->desired_description = stop_reason::kLost;
  lost->reported.status.status = ClientStatus::kLost;
  EXPECT_THAT(Plan().place, IsEmpty());
  AddNode("n2");
  ASSERT_THAT(NodesOf(Plan()), ElementsAre("n2"));
  EXPECT_EQ(Plan().place[0].replaces, lost);
}

TEST_F(SystemPlanTest, WhatItsNodeHasGivenUpIsReplacedThere) {
  for (const char* node : {"n1", "n3"}) Add(0, node);
  const auto lost = Add(0, "n2");
  const auto older = job;
  lost->reported.status.status = ClientStatus::kLost;
  ASSERT_THAT(NodesOf(Plan()), ElementsAre("n2"));
  EXPECT_EQ(Plan().place[0].replaces, lost);
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  Deploy()->status = deployment_status::kPaused;
  ASSERT_THAT(NodesOf(Plan()), ElementsAre("n2"));
  EXPECT_EQ(Plan().place[0].job, older);
}

TEST_F(SystemPlanTest, ADisconnectedNodeHasAnUnknownOne) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; }, JobType::kSystem);
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  AddNode("n2", "disconnected");
  const GroupPlan plan = Plan();
  EXPECT_EQ(plan.disconnect.size(), 1u);
  EXPECT_EQ(plan.follow_ups.size(), 1u);
  EXPECT_THAT(plan.place, IsEmpty());
}

TEST_F(SystemPlanTest, AStoppedOneIsReplacedOnItsNodeAndADrainedOneIsNot) {
  for (const char* node : {"n1", "n3"}) Add(0, node);
  const auto leaving = Add(0, "n2");
  leaving->migrate = true;
  GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(leaving->id(), stop_reason::kMigrated)));
  EXPECT_THAT(NodesOf(plan), ElementsAre("n2"));
  EXPECT_EQ(plan.place[0].replaces, leaving);
  AddNode("n2", "ready", false);
  plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(leaving->id(), stop_reason::kTainted)));
  EXPECT_THAT(plan.place, IsEmpty());
}

TEST_F(SystemPlanTest, AFailedOneStaysUnlessItIsForced) {
  for (const char* node : {"n1", "n3"}) Add(0, node);
  const auto failed = Add(0, "n2");
  Fail(failed, kNow - Duration(1h).count());
  EXPECT_THAT(Plan().place, IsEmpty());
  EXPECT_THAT(Plan().follow_ups, IsEmpty());
  failed->force_reschedule = true;
  EXPECT_THAT(NodesOf(Plan()), ElementsAre("n2"));
}

TEST_F(SystemPlanTest, WithoutAnyNodeItWaitsForOne) {
  nodes.clear();
  EXPECT_THAT(NodesOf(Plan()), ElementsAre(""));
  AddNode("n1", "ready", false);
  EXPECT_THAT(NodesOf(Plan()), ElementsAre("")) << "its evaluation says why";
}

TEST_F(SystemPlanTest, ANewVersionGoesFromNodeToNode) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  JobPlan plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].destructive, 1);
  ASSERT_TRUE(plan.deployment.has_value());
  EXPECT_EQ(plan.deployment->groups.at("g").desired_total, 3);
  EXPECT_TRUE(plan.groups["g"].place.at(0).in_deployment);
}

TEST_F(SystemPlanTest, ANodeThatTakesNothingNewDoesNotHoldTheOthers) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  AddNode("n1", "ready", false);
  EXPECT_THAT(NodesOf(Plan()), ElementsAre("n1", "n2")) << "the first one waits for its node";
  EXPECT_EQ(PlanAll().deployment->groups.at("g").desired_total, 2);
  Deploy()->status = deployment_status::kPaused;
  EXPECT_THAT(Plan().place, IsEmpty());
}

TEST_F(SystemPlanTest, ADeploymentFollowsTheNodes) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  DeploymentGroup& group = Deploy()->groups["g"];
  group.desired_total = 3;
  group.progress_deadline = 10min;
  group.require_progress_by = kNow - 1;
  for (const char* node : {"n1", "n2", "n3"}) PutIntoDeployment(Add(0, node));
  EXPECT_FALSE(PlanAll().deployment);
  const auto total = [this] {
    const JobPlan plan = PlanAll();
    EXPECT_EQ(plan.deployment->id, deployment->id);
    return plan.deployment->groups.at("g").desired_total;
  };
  AddNode("n4");
  EXPECT_EQ(total(), 4);
  EXPECT_EQ(PlanAll().deployment->groups.at("g").require_progress_by,
            kNow + Duration(10min).count());
  EXPECT_THAT(NodesOf(Plan()), ElementsAre("n4"));
  nodes.erase("n4");
  AddNode("n3", "ready", false);
  EXPECT_FALSE(PlanAll().deployment) << "it has one that counts";
  AddNode("n3", "down");
  EXPECT_EQ(total(), 2);
  for (const char* node : {"n1", "n2", "n3"}) AddNode(node, "down");
  EXPECT_FALSE(PlanAll().deployment) << "nothing has been deployed well";
}

TEST_F(SystemPlanTest, ADeploymentDoesNotAwaitWhatStopsOrWhatItsNodeKeeps) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  const auto total = [this] { return PlanAll().deployment->groups.at("g").desired_total; };
  AddNode("n3", "initializing");
  EXPECT_EQ(total(), 3);
  AddNode("n3", "initializing", false);
  EXPECT_EQ(total(), 2) << "it takes nothing new when it is ready, either";
  AddNode("n3", "ready", false);
  Deploy()->groups["g"].desired_total = 3;
  const auto stops = Add(0, "n3");
  PutIntoDeployment(stops);
  stops->no_reschedule = true;
  EXPECT_EQ(total(), 2) << "it stops now";
}

TEST_F(SystemPlanTest, CanariesOfADeploymentAreNotMoreThanTheNodes) {
  NewVersion(
      [](TaskGroup* group) {
        group->rollout.max_parallel = 1;
        group->rollout.canary = 5;
      },
      JobType::kSystem);
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  const auto canaries = [this] { return PlanAll().deployment->groups.at("g").desired_canaries; };
  EXPECT_EQ(canaries(), 3);
  Deploy(3, false)->groups["g"].desired_total = 3;
  AddNode("n3", "initializing");
  EXPECT_FALSE(PlanAll().deployment) << "nothing is known of it yet";
  AddNode("n3", "down");
  EXPECT_EQ(canaries(), 2);
  Deploy(2, false)->groups["g"].desired_total = 2;
  AddNode("n3");
  EXPECT_EQ(canaries(), 3);
  AddNode("n4");
  EXPECT_EQ(canaries(), 3) << "there is no older one that a canary could replace";
  nodes.erase("n4");
  Deploy(3, false)->groups["g"].desired_total = 3;
  const auto failed = std::const_pointer_cast<AllocRecord>(*allocs.begin());
  AllocOf(failed)->canary = true;
  PutIntoDeployment(failed);
  failed->job = job;
  Fail(failed, kNow - Duration(1h).count());
  EXPECT_FALSE(PlanAll().deployment) << "one that has failed is no reason to want fewer";
}

TEST_F(SystemPlanTest, ANodeThatIsBackGetsItsCanaryTogetherWithTheWishForIt) {
  NewVersion(
      [](TaskGroup* group) {
        group->rollout.max_parallel = 1;
        group->rollout.canary = 3;
      },
      JobType::kSystem);
  const auto back = Add(0, "n3");
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  DeploymentGroup& before = Deploy(2, false)->groups["g"];
  before.desired_total = 3;  // it was known to be away
  before.progress_deadline = 10min;
  before.require_progress_by = kNow - 1;
  for (const char* node : {"n1", "n2"}) {
    const auto canary = Add(0, node);
    AllocOf(canary)->canary = true;
    PutIntoDeployment(canary);
  }
  const auto gets_one = [&] {
    const JobPlan plan = PlanAll();
    EXPECT_EQ(plan.deployment->groups.at("g").desired_canaries, 3);
    EXPECT_EQ(plan.deployment->groups.at("g").require_progress_by, kNow + Duration(10min).count());
    const GroupPlan& group = plan.groups.at("g");
    ASSERT_THAT(NodesOf(group), ElementsAre("n3"));
    EXPECT_TRUE(group.place[0].canary);
    EXPECT_TRUE(group.place[0].in_deployment);
    EXPECT_EQ(group.place[0].job, nullptr);
    EXPECT_EQ(group.place[0].replaces, back);
    EXPECT_EQ(group.canaries, 1);
  };
  AddNode("n3", "ready", false);
  EXPECT_EQ(Plan().canaries, 0) << "it waits for its node, and is none of those that are wanted";
  AddNode("n3");
  gets_one();
  AllocOf(back)->desired_status = DesiredStatus::kStop;
  AllocOf(back)->desired_description = stop_reason::kLost;
  back->reported.status.status = ClientStatus::kLost;
  gets_one();
}

TEST_F(SystemPlanTest, CanariesAreTheFirstNodes) {
  NewVersion(
      [](TaskGroup* group) {
        group->rollout.max_parallel = 1;
        group->rollout.canary = 2;
      },
      JobType::kSystem);
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  const GroupPlan plan = Plan();
  EXPECT_EQ(plan.destructive, 2);
  for (const auto& place : plan.place) EXPECT_TRUE(place.canary);
  EXPECT_TRUE(plan.waits);
}

// As with a service: what has stopped is replaced, by the version that it had.
TEST_F(SystemPlanTest, ADeploymentThatIsHeldReplacesOnlyWhatIsGone) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  const auto older = job;
  const auto lost = Add(0, "n2"), leaving = Add(0, "n3");
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  AllocOf(lost)->desired_status = DesiredStatus::kStop;
  AllocOf(lost)->desired_description = stop_reason::kLost;
  lost->reported.status.status = ClientStatus::kLost;
  leaving->migrate = true;
  for (const char* status : {"paused", "failed"}) {
    Deploy()->status = status;
    const GroupPlan plan = Plan();
    EXPECT_THAT(NodesOf(plan), testing::UnorderedElementsAre("n2", "n3")) << status;
    for (const auto& place : plan.place) EXPECT_EQ(place.job, older) << status;
    EXPECT_TRUE(plan.waits) << "the first node has none yet";
  }
  Deploy(1, false);
  for (const auto& place : Plan().place) {
    EXPECT_EQ(place.job, place.node_id == "n2" ? older : nullptr);
    EXPECT_EQ(place.canary, place.node_id == "n3") << "the canary that is wanted";
  }
}

TEST_F(SystemPlanTest, ACanaryThatHasFailedOrIsUnknownIsStillOne) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  Add(0, "n2");
  Add(0, "n3");
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 1min; }, JobType::kSystem);
  Deploy(1, false);
  const auto canary = Add(0, "n1");
  AllocOf(canary)->canary = true;
  PutIntoDeployment(canary);
  Fail(canary);
  EXPECT_THAT(Plan().place, IsEmpty());
  AddNode("n1", "disconnected");
  MakeUnknown(canary, kNow - 5);
  EXPECT_THAT(Plan().place, IsEmpty());
}

TEST_F(SystemPlanTest, ACanaryThatIsGoneIsReplacedByOne) {
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kSystem);
  Add(0, "n1");
  Add(0, "n3");
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  Deploy(1, false);
  const auto canary = Add(0, "n2");
  AllocOf(canary)->canary = true;
  PutIntoDeployment(canary);
  const auto is_replaced = [&] {
    const GroupPlan plan = Plan();
    ASSERT_THAT(NodesOf(plan), ElementsAre("n2"));
    EXPECT_TRUE(plan.place[0].canary);
    EXPECT_EQ(plan.place[0].replaces, canary);
  };
  canary->migrate = true;
  is_replaced();
  AllocOf(canary)->desired_status = DesiredStatus::kStop;
  AllocOf(canary)->desired_description = stop_reason::kMigrated;
  is_replaced();
}

TEST_F(SystemPlanTest, ANewVersionLeavesNodesThatMayNotRunIt) {
  for (const char* node : {"n1", "n2", "n3"}) Add(0, node);
  refused = {"n3"};
  EXPECT_THAT(Plan().stop, IsEmpty()) << "the version has not changed";
  NewVersion([](TaskGroup*) {}, JobType::kSystem);
  can_update = true;
  const GroupPlan plan = Plan();
  EXPECT_EQ(plan.update.size(), 2u);
  EXPECT_EQ(plan.stop.size(), 1u);
}

}  // namespace
}  // namespace drover
