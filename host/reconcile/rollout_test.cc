// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/rollout.h"

#include "host/reconcile/reconcile_fixture.h"

namespace drover {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class RolloutTest : public ReconcileFixture {
 protected:
  // Three healthy allocations of version 1, and version 2, which replaces MAX_PARALLEL at a time.
  void Begin(int max_parallel, int canary = 0) {
    NewVersion([=](TaskGroup* group) {
      group->count = 3;
      group->rollout.max_parallel = max_parallel;
      group->rollout.canary = canary;
    });
    for (int index = 0; index < 3; ++index) old.push_back(Add(index));
    for (const auto& record : old) SetHealth(record, true);
    NewVersion([](TaskGroup*) {});
  }
  std::shared_ptr<AllocRecord> AddNew(int index, bool canary = false) {
    const auto record = Add(index);
    PutIntoDeployment(record);
    AllocOf(record)->canary = canary;
    return record;
  }
  // The wanted version has replaced OLD[index].
  std::shared_ptr<AllocRecord> Replace(int index) {
    const auto record = AddNew(index);
    const auto& before = old[static_cast<std::size_t>(index)];
    ReplaceBy(before, record);
    AllocOf(before)->desired_status = DesiredStatus::kStop;
    AllocOf(before)->desired_description = stop_reason::kUpdated;
    return record;
  }
  std::vector<std::shared_ptr<AllocRecord>> old;
};

TEST_F(RolloutTest, TheFirstVersionIsPlacedAtOnceInADeployment) {
  NewVersion([](TaskGroup* group) {
    group->count = 3;
    group->rollout.max_parallel = 1;
    group->rollout.canary = 1;
    group->rollout.auto_revert = true;
    group->rollout.progress_deadline = 7min;
  });
  JobPlan plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].place.size(), 3u);
  for (const auto& place : plan.groups["g"].place) EXPECT_TRUE(place.in_deployment);
  ASSERT_TRUE(plan.deployment.has_value());
  const Deployment& begun = *plan.deployment;
  EXPECT_EQ(begun.id, "");
  EXPECT_EQ(begun.job_id, "web");
  EXPECT_EQ(begun.job_version, job->version);
  EXPECT_EQ(begun.job_create_index, job->create_index);
  EXPECT_EQ(begun.status, "running");
  EXPECT_EQ(begun.status_description, "Deployment is running");
  const DeploymentGroup& group = begun.groups.at("g");
  EXPECT_EQ(group.desired_total, 3);
  EXPECT_EQ(group.desired_canaries, 0) << "there is nothing that canaries could protect";
  EXPECT_TRUE(group.promoted);
  EXPECT_TRUE(group.auto_revert);
  EXPECT_EQ(group.progress_deadline, 7min);
  EXPECT_EQ(group.require_progress_by, 0) << "it begins with the first placement";
}

TEST_F(RolloutTest, ACanaryOfAnEarlierVersionAwaitsNoReplacement) {
  Begin(1, 1);
  Deploy(1, false);
  const auto canary = AddNew(0, true);
  Fail(canary);
  EXPECT_TRUE(AwaitsReplacement(*canary, *job, allocs));
  NewVersion([](TaskGroup*) {});
  EXPECT_FALSE(AwaitsReplacement(*canary, *job, allocs));
}

TEST_F(RolloutTest, NotMoreThanMaxParallelAreReplacedAtATime) {
  Begin(1);
  JobPlan plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].destructive, 1);
  EXPECT_THAT(Places(plan.groups["g"]), ElementsAre(0));
  EXPECT_TRUE(plan.groups["g"].waits);
  EXPECT_EQ(plan.groups["g"].ignore, 2);
  EXPECT_TRUE(plan.deployment.has_value());
  Deploy();
  const auto first = Replace(0);
  EXPECT_EQ(Plan().destructive, 0) << "the first one is not healthy yet";
  EXPECT_FALSE(PlanAll().deployment.has_value()) << "there is one";
  SetHealth(first, false);
  EXPECT_EQ(Plan().destructive, 0);
  SetHealth(first, true);
  EXPECT_THAT(Places(Plan()), ElementsAre(1));
  // One that fails counts as missing, also while it waits for its replacement.
  Fail(first);
  EXPECT_EQ(Plan().destructive, 0);
  EXPECT_EQ(Plan().follow_ups.size(), 1u);
}

TEST_F(RolloutTest, TwoAtATime) {
  Begin(2);
  EXPECT_THAT(Places(Plan()), ElementsAre(0, 1));
  Deploy();
  SetHealth(Replace(0), true);
  Replace(1);
  EXPECT_THAT(Places(Plan()), ElementsAre(2));
}

TEST_F(RolloutTest, WhatDoesNotRunIsReplacedFirst) {
  Begin(1);
  old[2]->reported.status.status = ClientStatus::kPending;
  EXPECT_THAT(Places(Plan()), ElementsAre(2));
}

TEST_F(RolloutTest, WithoutALimitAllGoAtOnceAndThereIsNoDeployment) {
  Begin(0);
  JobPlan plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].destructive, 3);
  EXPECT_FALSE(plan.deployment.has_value());
  NewVersion([](TaskGroup* group) { group->rollout.max_parallel = 1; }, JobType::kBatch);
  plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].destructive, 3) << "batch jobs have no deployments";
  EXPECT_FALSE(plan.deployment.has_value());
}

TEST_F(RolloutTest, ChangesInPlaceAreADeploymentButSmallerCountsAreNot) {
  Begin(1);
  can_update = true;
  JobPlan plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].update.size(), 3u);
  EXPECT_FALSE(plan.deployment.has_value()) << "the versions are equal";
  NewVersion([](TaskGroup* group) { group->count = 2; });
  EXPECT_FALSE(PlanAll().deployment.has_value());
  NewVersion([](TaskGroup* group) { group->meta["a"] = "b"; });
  EXPECT_TRUE(PlanAll().deployment.has_value());
  NewVersion([](TaskGroup* group) {
    group->meta.clear();
    group->count = 4;
  });
  plan = PlanAll();
  EXPECT_TRUE(plan.deployment.has_value());
  EXPECT_THAT(Places(plan.groups["g"]), ElementsAre(3));
}

TEST_F(RolloutTest, APausedDeploymentReplacesOnlyWhatIsLost) {
  Begin(1);
  Deploy()->status = deployment_status::kPaused;
  EXPECT_EQ(Plan().destructive, 0);
  EXPECT_TRUE(Plan().waits);
  allocs.erase(old[1]);
  EXPECT_THAT(Plan().place, IsEmpty()) << "nothing new is placed";
  old[2]->migrate = true;
  GroupPlan plan = Plan();
  EXPECT_THAT(Places(plan), ElementsAre(2));
  EXPECT_EQ(plan.place[0].job, old[2]->job) << "the older version stays";
  EXPECT_FALSE(plan.place[0].in_deployment);
  const auto failed = AddNew(1);
  Fail(failed, kNow - Duration(1h).count());
  EXPECT_THAT(Places(Plan()), ElementsAre(2)) << "it is not replaced before the pause ends";
}

TEST_F(RolloutTest, AfterAFailureNothingOfTheVersionIsRescheduled) {
  Begin(1);
  Deploy();
  const auto failed = Replace(0);
  Fail(failed, kNow - Duration(1h).count());
  EXPECT_THAT(Places(Plan()), ElementsAre(0));
  auto ended = std::make_shared<Deployment>(*deployment);
  ended->status = deployment_status::kFailed;
  deployment = ended;
  EXPECT_THAT(Plan().place, IsEmpty());
  EXPECT_THAT(Plan().follow_ups, IsEmpty());
  // An allocation of the older version is.
  Fail(old[1], kNow - Duration(1h).count());
  const GroupPlan plan = Plan();
  EXPECT_THAT(Places(plan), ElementsAre(1));
  EXPECT_EQ(plan.place[0].job, old[1]->job);
  EXPECT_TRUE(plan.place[0].rescheduled);
  ended->status = deployment_status::kSuccessful;
  EXPECT_EQ(Plan().place.size(), 3u) << "after a success they are, and nothing is left behind";
}

TEST_F(RolloutTest, CanariesStandBesideTheOthers) {
  Begin(1, 2);
  JobPlan plan = PlanAll();
  EXPECT_EQ(plan.groups["g"].canaries, 2);
  EXPECT_EQ(plan.groups["g"].destructive, 0);
  EXPECT_THAT(plan.groups["g"].stop, IsEmpty());
  ASSERT_THAT(Places(plan.groups["g"]), ElementsAre(0, 1));
  for (const auto& place : plan.groups["g"].place) {
    EXPECT_TRUE(place.canary);
    EXPECT_TRUE(place.in_deployment);
    EXPECT_EQ(place.replaces, nullptr);
  }
  ASSERT_TRUE(plan.deployment.has_value());
  EXPECT_EQ(plan.deployment->groups.at("g").desired_canaries, 2);
  EXPECT_FALSE(plan.deployment->groups.at("g").promoted);
  EXPECT_EQ(plan.deployment->status_description,
            "Deployment is running but requires manual promotion");
  EXPECT_EQ(plan.deployment->groups.at("g").require_progress_by, kNow + Duration(10min).count())
      << "they may find no room";
  // One of them is there.
  Deploy(2, false);
  const auto first = AddNew(0, true);
  SetHealth(first, true);
  EXPECT_THAT(Places(Plan()), ElementsAre(1));
  const auto second = AddNew(1, true);
  SetHealth(second, true);
  EXPECT_THAT(Plan().place, IsEmpty());
  EXPECT_THAT(Plan().stop, IsEmpty());
  // A canary that fails is replaced by a canary.
  Fail(second, kNow - Duration(1h).count());
  GroupPlan failed = Plan();
  ASSERT_THAT(Places(failed), ElementsAre(1));
  EXPECT_TRUE(failed.place[0].canary);
  EXPECT_TRUE(failed.place[0].rescheduled);
}

TEST_F(RolloutTest, MoreCanariesThanAllocationsGetFurtherIndexes) {
  Begin(1, 5);
  EXPECT_THAT(Places(Plan()), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(RolloutTest, CanariesThatGoOnByThemselvesSaySo) {
  Begin(1, 1);
  NewVersion([](TaskGroup* group) { group->rollout.auto_promote = true; });
  EXPECT_EQ(PlanAll().deployment->status_description,
            "Deployment is running pending automatic promotion");
}

TEST_F(RolloutTest, UntilThePromotionTheOlderVersionIsReplacedByItself) {
  Begin(1, 1);
  Deploy(1, false);
  SetHealth(AddNew(0, true), true);
  Fail(old[1], kNow - Duration(1h).count());
  allocs.erase(old[2]);
  GroupPlan plan = Plan();
  EXPECT_THAT(Places(plan), ElementsAre(1, 2));
  for (const auto& place : plan.place) {
    EXPECT_EQ(place.job, old[0]->job);
    EXPECT_FALSE(place.in_deployment);
  }
}

TEST_F(RolloutTest, AfterThePromotionACanaryTakesTheIndexOfAnOldOne) {
  Begin(1, 1);
  Deploy(1, true);
  SetHealth(AddNew(0), true);
  const GroupPlan plan = Plan();
  EXPECT_EQ(Stops(plan).at(old[0]->id()), stop_reason::kNotNeeded);
  EXPECT_THAT(Places(plan), ElementsAre(1)) << "and the change goes on";
}

TEST_F(RolloutTest, WhatIsLostForGoodIsMissingForTheChangeToo) {
  Begin(1);
  NewVersion([](TaskGroup* group) {
    group->disconnect.lost_after = 1min;
    group->disconnect.replace = false;
  });
  Deploy();
  const auto lost = Replace(0);
  AddNode("n2", "disconnected");
  AllocOf(lost)->node_id = "n2";
  MakeUnknown(lost, kNow - Duration(1min).count());
  GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(lost->id(), stop_reason::kLost)));
  EXPECT_THAT(plan.place, IsEmpty());
  // The next version does not miss what an older one has lost.
  NewVersion([](TaskGroup*) {});
  plan = Plan();
  EXPECT_THAT(Places(plan), Contains(0));
}

TEST_F(RolloutTest, AnUnknownCanaryWhoseReplacementIsGoneLeavesTheOldOneItsIndex) {
  Begin(1, 1);
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 1min; });
  Deploy(1, false);
  AddNode("n2", "disconnected");
  const auto canary = Add(0, "n2");
  PutIntoDeployment(canary);
  AllocOf(canary)->canary = true;
  MakeUnknown(canary, kNow - 5);
  canary->next = "gone";
  const GroupPlan plan = Plan();
  EXPECT_THAT(plan.stop, IsEmpty());
  ASSERT_THAT(Places(plan), ElementsAre(0));
  EXPECT_TRUE(plan.place[0].canary);
}

TEST_F(RolloutTest, CanariesOfADeploymentThatHasFailedStop) {
  Begin(1, 1);
  Deploy(1, false)->status = deployment_status::kFailed;
  const auto canary = AddNew(0, true);
  EXPECT_THAT(Stops(Plan()), ElementsAre(Pair(canary->id(), stop_reason::kNotNeeded)));
  EXPECT_THAT(Plan().place, IsEmpty());
  // The same if a newer version comes.
  NewVersion([](TaskGroup* group) { group->rollout.canary = 0; });
  EXPECT_EQ(Stops(Plan()).at(canary->id()), stop_reason::kNotNeeded);
}

TEST_F(RolloutTest, AnOlderDeploymentEnds) {
  Begin(1);
  Deploy();
  NewVersion([](TaskGroup*) {});
  JobPlan plan = PlanAll();
  ASSERT_TRUE(plan.ended.has_value());
  EXPECT_EQ(plan.ended->id, deployment->id);
  EXPECT_EQ(plan.ended->status, "cancelled");
  EXPECT_EQ(plan.ended->status_description, "Cancelled due to newer version of job");
  EXPECT_TRUE(plan.deployment.has_value());
  Deploy();
  job->stop = true;
  plan = PlanAll();
  ASSERT_TRUE(plan.ended.has_value());
  EXPECT_EQ(plan.ended->status_description, "Cancelled because job is stopped");
  EXPECT_FALSE(plan.deployment.has_value());
}

// Deployments are collected some time. What has run since then makes no new one.
TEST_F(RolloutTest, AReplacementOfAnOldVersionIsNoDeployment) {
  Begin(1);
  allocs.clear();
  const auto first = Add(0), second = Add(1);
  first->migrate = true;
  JobPlan plan = PlanAll();
  EXPECT_THAT(Places(plan.groups["g"]), ElementsAre(0, 2));
  EXPECT_FALSE(plan.deployment.has_value());
  for (const auto& place : plan.groups["g"].place) EXPECT_FALSE(place.in_deployment);
}

}  // namespace
}  // namespace drover
