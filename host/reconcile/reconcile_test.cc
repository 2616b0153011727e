// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/reconcile.h"

#include "host/reconcile/reconcile_fixture.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class ReconcileTest : public ReconcileFixture {
 protected:
  static constexpr WallTime kDelay = Duration(30s).count();
};

TEST_F(ReconcileTest, WhatIsMissingIsPlaced) {
  NewVersion([](TaskGroup* group) { group->count = 3; });
  Add(1);
  const GroupPlan plan = Plan();
  EXPECT_THAT(Places(plan), ElementsAre(0, 2));
  EXPECT_EQ(plan.ignore, 1);
  EXPECT_EQ(plan.place[0].replaces, nullptr);
}

TEST_F(ReconcileTest, WhatIsNotNeededStops) {
  NewVersion([](TaskGroup* group) { group->count = 2; });
  const auto first = Add(0), second = Add(1), third = Add(2), twice = Add(0);
  EXPECT_THAT(Stops(Plan()), UnorderedElementsAre(Pair(third->id(), stop_reason::kNotNeeded),
                                                  Pair(twice->id(), stop_reason::kNotNeeded)));
  job->stop = true;
  EXPECT_EQ(Plan().stop.size(), 4u);
  EXPECT_THAT(Plan().place, IsEmpty());
  job = nullptr;
  EXPECT_EQ(Plan().stop.size(), 4u) << "the job was purged";
}

TEST_F(ReconcileTest, OfTwoWithOneIndexTheNewerVersionStays) {
  const auto old = Add(0);
  NewVersion([](TaskGroup*) {});
  const auto newer = Add(0);
  EXPECT_THAT(Stops(Plan()), ElementsAre(Pair(old->id(), stop_reason::kNotNeeded)));
  allocs.clear();
  const auto first = Add(0), second = Add(0);
  SetHealth(second, true);
  EXPECT_THAT(Stops(Plan()), ElementsAre(Pair(first->id(), stop_reason::kNotNeeded)));
}

TEST_F(ReconcileTest, AFailedAllocationIsReplacedAfterItsDelay) {
  const auto failed = Add(0);
  Fail(failed, kNow - 7);
  GroupPlan plan = Plan();
  EXPECT_THAT(plan.place, IsEmpty());
  EXPECT_THAT(plan.stop, IsEmpty());
  ASSERT_EQ(plan.follow_ups.size(), 1u);
  EXPECT_EQ(plan.follow_ups[0].alloc, failed);
  EXPECT_EQ(plan.follow_ups[0].at, kNow - 7 + kDelay);
  EXPECT_EQ(plan.follow_ups[0].triggered_by, "alloc-failure");
  // Other evaluations leave it alone until then.
  ChangeOf(failed, [](AllocChange* change) { change->follow_up_eval = "later"; });
  open_evals = {"later"};
  plan = Plan();
  EXPECT_THAT(plan.follow_ups, IsEmpty());
  EXPECT_THAT(plan.place, IsEmpty());
  eval_id = "later";
  plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(failed->id(), stop_reason::kRescheduled)));
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_EQ(plan.place[0].replaces, failed);
  EXPECT_TRUE(plan.place[0].rescheduled);
  EXPECT_EQ(plan.place[0].index, 0);
}

TEST_F(ReconcileTest, AFollowUpThatIsGoneIsMadeAnew) {
  const auto failed = Add(0);
  Fail(failed);
  ChangeOf(failed, [](AllocChange* change) { change->follow_up_eval = "gone"; });
  EXPECT_EQ(Plan().follow_ups.size(), 1u);
}

TEST_F(ReconcileTest, WhatIsDueWithinASecondHappensAtOnce) {
  Fail(Add(0), kNow + Duration(1s).count() - kDelay);
  EXPECT_EQ(Plan().place.size(), 1u);
  allocs.clear();
  Fail(Add(0), kNow + Duration(1s).count() - kDelay + 1);
  EXPECT_EQ(Plan().place.size(), 0u);
}

TEST_F(ReconcileTest, ReplacementsThatAreDueTogetherShareTheirTime) {
  NewVersion([](TaskGroup* group) { group->count = 4; });
  const WallTime start = kNow - Duration(20s).count();
  int index = 0;
  for (const Duration later : {Duration(3s), Duration(0s), Duration(5s), Duration(9s)}) {
    Fail(Add(index++), start + later.count());
  }
  std::map<int, Duration> due;
  for (const auto& of : Plan().follow_ups) {
    due[of.alloc->alloc->index] = Duration(of.at - start - kDelay);
  }
  EXPECT_THAT(due, ElementsAre(Pair(0, 0s), Pair(1, 0s), Pair(2, 5s), Pair(3, 5s)));
}

// The files of a sticky disk may still be with the failed one.
TEST_F(ReconcileTest, ANewVersionReplacesAFailedAllocation) {
  const auto failed = Add(0);
  Fail(failed);
  NewVersion([](TaskGroup*) {});
  GroupPlan plan = Plan();
  EXPECT_THAT(plan.stop, IsEmpty());
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_EQ(plan.place[0].replaces, failed);
  EXPECT_FALSE(plan.place[0].rescheduled);

  // Then it needs nothing, also if a later version does not replace its allocations at once.
  const auto newer = Add(0);
  ReplaceBy(failed, newer);
  NewVersion([](TaskGroup* group) {
    group->rollout.max_parallel = 1;
    group->rollout.canary = 1;
  });
  plan = Plan();
  EXPECT_THAT(plan.follow_ups, IsEmpty());
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_TRUE(plan.place[0].canary);
  Fail(newer);
  plan = Plan();
  EXPECT_THAT(plan.follow_ups, IsEmpty());
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_EQ(plan.place[0].replaces, newer);
}

TEST_F(ReconcileTest, ANewVersionReplacesNoCompletedAllocationAndNoneOfAPurgedJob) {
  const auto complete = Add(0);
  complete->reported.status.status = ClientStatus::kComplete;
  NewVersion([](TaskGroup*) {});
  ASSERT_EQ(Plan().place.size(), 1u);
  EXPECT_EQ(Plan().place[0].replaces, nullptr);
  complete->reported.status.status = ClientStatus::kFailed;
  ASSERT_EQ(Plan().place.size(), 1u);
  EXPECT_EQ(Plan().place[0].replaces, complete);
  job->create_index = 11;
  ASSERT_EQ(Plan().place.size(), 1u);
  EXPECT_EQ(Plan().place[0].replaces, nullptr);
}

TEST_F(ReconcileTest, WithoutAttemptsItStaysFailed) {
  NewVersion([](TaskGroup* group) { group->reschedule.unlimited = false; });
  const auto failed = Add(0);
  Fail(failed);
  EXPECT_THAT(Plan().place, IsEmpty());
  EXPECT_THAT(Plan().follow_ups, IsEmpty());
  failed->force_reschedule = true;
  EXPECT_TRUE(Plan().place.at(0).rescheduled);
  NewVersion([](TaskGroup*) {});
  EXPECT_FALSE(Plan().place.at(0).rescheduled) << "a new version begins anew";
  EXPECT_EQ(Plan().place.at(0).replaces, failed);
}

TEST_F(ReconcileTest, ThePolicyIsThatOfTheAllocationsOwnVersion) {
  const auto failed = Add(0);
  Fail(failed);
  // The version that is wanted differs in place only, and the allocation has not taken it over.
  auto other = std::make_shared<Job>(*job->job);
  other->groups[0].reschedule.delay = 90s;
  AllocOf(failed)->job = other;
  EXPECT_EQ(Plan().follow_ups.at(0).at, kNow + Duration(90s).count());
}

TEST_F(ReconcileTest, ABatchJobThatHasRunStaysAndAServiceDoesNot) {
  const auto ended = Add(0);
  ended->reported.status.status = ClientStatus::kComplete;
  ended->reported.modify_time = kNow;
  EXPECT_EQ(Plan().follow_ups.size(), 1u) << "a service never ends";
  NewVersion([](TaskGroup*) {}, JobType::kBatch);
  ended->job = job;
  EXPECT_THAT(Plan().follow_ups, IsEmpty());
  EXPECT_THAT(Plan().place, IsEmpty());
  AddNode("n1", "down");
  EXPECT_THAT(Plan().place, IsEmpty()) << "it has ended before";
  NewVersion([](TaskGroup*) {}, JobType::kBatch);
  EXPECT_THAT(Places(Plan()), ElementsAre(0)) << "another version runs again";
}

TEST_F(ReconcileTest, AMigrationIsNoReschedule) {
  const auto leaving = Add(0);
  leaving->migrate = true;
  const GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(leaving->id(), stop_reason::kMigrated)));
  EXPECT_EQ(plan.migrate, 1);
  EXPECT_EQ(plan.place.at(0).replaces, leaving);
  EXPECT_FALSE(plan.place[0].rescheduled);
}

TEST_F(ReconcileTest, WithoutARescheduleNothingTakesItsPlace) {
  const auto record = Add(0);
  record->no_reschedule = true;
  GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kNotNeeded)));
  EXPECT_THAT(plan.place, IsEmpty());
  AllocOf(record)->desired_status = DesiredStatus::kStop;
  EXPECT_THAT(Plan().place, IsEmpty());
  record->reported.status.status = ClientStatus::kComplete;
  EXPECT_THAT(Plan().place, IsEmpty());
  EXPECT_TRUE(NeedsNoOther(*record, *job, allocs)) << "so its record stays";
  NewVersion([](TaskGroup*) {});
  EXPECT_THAT(Places(Plan()), ElementsAre(0));
}

TEST_F(ReconcileTest, ARunningOneIsRescheduledByItsFlagsAlone) {
  const auto record = Add(0);
  record->reschedule = true;
  GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kRescheduled)));
  EXPECT_TRUE(plan.place.at(0).rescheduled);
  NewVersion([](TaskGroup* group) { group->reschedule.unlimited = false; });
  record->job = job;
  AllocOf(record)->job = job->job;
  EXPECT_THAT(Plan().stop, IsEmpty()) << "its policy allows none";
  record->force_reschedule = true;
  EXPECT_EQ(Plan().stop.size(), 1u);
}

TEST_F(ReconcileTest, WhatHasStoppedForAReplacementIsReplacedOnce) {
  const auto stopped = Add(0);
  AllocOf(stopped)->desired_status = DesiredStatus::kStop;
  for (const auto why : {stop_reason::kRescheduled, stop_reason::kMigrated, stop_reason::kUpdated,
                         stop_reason::kLost}) {
    AllocOf(stopped)->desired_description = why;
    const GroupPlan plan = Plan();
    ASSERT_EQ(plan.place.size(), 1u);
    EXPECT_EQ(plan.place[0].replaces, stopped);
    EXPECT_EQ(plan.place[0].rescheduled, why == stop_reason::kRescheduled);
    EXPECT_EQ(plan.place[0].lost, why == stop_reason::kLost);
  }
  ReplaceBy(stopped, Add(0));
  EXPECT_THAT(Plan().place, IsEmpty());
}

TEST_F(ReconcileTest, AnAllocationThatWasPreemptedIsReplaced) {
  const auto evicted = Add(0);
  AllocOf(evicted)->desired_status = DesiredStatus::kEvict;
  EXPECT_EQ(Plan().place.at(0).replaces, evicted);
}

TEST_F(ReconcileTest, AnotherVersionIsTakenOverOrReplaced) {
  const auto record = Add(0);
  NewVersion([](TaskGroup*) {});
  can_update = true;
  EXPECT_THAT(Plan().update, ElementsAre(record));
  can_update = false;
  const GroupPlan plan = Plan();
  EXPECT_THAT(plan.update, IsEmpty());
  EXPECT_EQ(plan.destructive, 1);
  EXPECT_TRUE(plan.stop.at(0).for_new);
  EXPECT_TRUE(plan.place.at(0).stops);
  EXPECT_EQ(plan.place[0].replaces, record);
}

TEST_F(ReconcileTest, AGroupThatIsGoneStops) {
  const auto record = Add(0);
  NewVersion([](TaskGroup* group) { group->name = "other"; });
  JobPlan plan = PlanAll();
  EXPECT_THAT(Stops(plan.groups["g"]), ElementsAre(Pair(record->id(), stop_reason::kNotNeeded)));
  EXPECT_THAT(Places(plan.groups["other"]), ElementsAre(0));
}

}  // namespace
}  // namespace drover
