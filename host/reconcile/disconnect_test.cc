// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "host/reconcile/reconcile_fixture.h"

namespace drover {
namespace {

using DisconnectTest = ReconcileFixture;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using KeepRule = DisconnectPolicy::Reconcile;

class Keeping : public ReconcileFixture {
 protected:
  Keeping() : original(Add(0)), replacement(Add(0)) {}
  bool KeepsOriginal(KeepRule how) const {
    return &ToKeep(*original, *replacement, how) == original.get();
  }
  static void StartAt(const std::shared_ptr<AllocRecord>& record, WallTime at) {
    auto task = std::make_shared<TaskStateRecord>();
    task->started_at = at;
    record->reported.tasks["t"] = std::move(task);
  }
  std::shared_ptr<AllocRecord> original, replacement;
};

TEST_F(Keeping, TheRuleSaysWhichOneStays) {
  StartAt(original, kNow - 5);
  StartAt(replacement, kNow - 3);
  EXPECT_TRUE(KeepsOriginal(KeepRule::kKeepOriginal));
  EXPECT_FALSE(KeepsOriginal(KeepRule::kKeepReplacement));
  EXPECT_TRUE(KeepsOriginal(KeepRule::kBestScore));
  EXPECT_TRUE(KeepsOriginal(KeepRule::kLongestRunning));
  StartAt(original, kNow - 1);  // its task was restarted
  EXPECT_FALSE(KeepsOriginal(KeepRule::kLongestRunning));
  replacement->reported.tasks.clear();
  EXPECT_TRUE(KeepsOriginal(KeepRule::kLongestRunning)) << "the other has not started yet";
}

TEST_F(Keeping, WhatHasEndedAndWhatIsOlderNeverStays) {
  for (const auto how : {KeepRule::kKeepOriginal, KeepRule::kKeepReplacement, KeepRule::kBestScore,
                         KeepRule::kLongestRunning}) {
    original->reported.status.status = ClientStatus::kFailed;
    EXPECT_FALSE(KeepsOriginal(how));
    original->reported.status.status = ClientStatus::kRunning;
    replacement->reported.status.status = ClientStatus::kFailed;
    EXPECT_TRUE(KeepsOriginal(how));
    replacement->reported.status.status = ClientStatus::kRunning;
  }
  replacement->reported.status.status = ClientStatus::kUnknown;
  EXPECT_TRUE(KeepsOriginal(KeepRule::kKeepReplacement)) << "its own node is lost";
  NewVersion([](TaskGroup*) {});
  replacement->job = job;
  EXPECT_FALSE(KeepsOriginal(KeepRule::kKeepOriginal));
}

TEST_F(DisconnectTest, OnANodeThatIsDownAnAllocationIsLost) {
  const auto lost = Add(0);
  AddNode("n1", "down");
  const GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(lost->id(), "alloc is lost since its node is down")));
  EXPECT_EQ(plan.stop[0].reports, ClientStatus::kLost);
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_EQ(plan.place[0].index, 0);
  EXPECT_EQ(plan.place[0].replaces, lost);
  EXPECT_TRUE(plan.place[0].lost);
  EXPECT_FALSE(plan.place[0].rescheduled) << "a loss does not count";
  nodes.erase("n1");
  EXPECT_EQ(Plan().place.size(), 1u) << "the same if the node is gone";
}

TEST_F(DisconnectTest, WithinLostAfterItIsUnknownAndReplaced) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  const auto record = Add(0);
  AddNode("n1", "disconnected");
  GroupPlan plan = Plan();
  EXPECT_THAT(plan.stop, IsEmpty());
  EXPECT_THAT(plan.disconnect, ElementsAre(record));
  ASSERT_EQ(plan.follow_ups.size(), 1u);
  EXPECT_EQ(plan.follow_ups[0].at, kNow + Duration(60s).count());
  EXPECT_EQ(plan.follow_ups[0].triggered_by, "max-disconnect-timeout");
  EXPECT_THAT(Places(plan), ElementsAre(0));
  // Then it is unknown, and has its replacement.
  MakeUnknown(record, kNow);
  ChangeOf(record, [](AllocChange* change) { change->follow_up_eval = "later"; });
  open_evals = {"later"};
  AddNode("n2");
  const auto other = Add(0, "n2");
  ReplaceBy(record, other);
  plan = Plan();
  EXPECT_THAT(plan.stop, IsEmpty());
  EXPECT_THAT(plan.place, IsEmpty());
  EXPECT_THAT(plan.disconnect, IsEmpty());
  EXPECT_THAT(plan.follow_ups, IsEmpty());
  // A follow-up that is gone is made again.
  open_evals.clear();
  plan = Plan();
  ASSERT_EQ(plan.follow_ups.size(), 1u);
  EXPECT_EQ(plan.follow_ups[0].at, kNow + Duration(60s).count());
  // Its time comes.
  eval_id = "later";
  plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kLost)));
  EXPECT_THAT(plan.place, IsEmpty()) << "it has its replacement";
}

// It heartbeats, but its reports do not arrive.
TEST_F(DisconnectTest, ANodeThatIsBackWithoutAReportDoesNotKeepItUnknownForEver) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  const auto record = Add(0);
  AddNode("n1", "initializing");
  AddNode("n2");
  MakeUnknown(record, kNow - Duration(59s).count());
  ChangeOf(record, [](AllocChange* change) { change->follow_up_eval = "later"; });
  open_evals = {"later"};
  GroupPlan plan = Plan();
  EXPECT_THAT(plan.stop, IsEmpty());
  EXPECT_THAT(plan.place, IsEmpty());
  eval_id = "later";
  plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kLost)));
  EXPECT_THAT(Places(plan), ElementsAre(0));
}

TEST_F(DisconnectTest, WithoutReplaceNothingTakesItsPlace) {
  NewVersion([](TaskGroup* group) { group->disconnect.replace = false; });
  const auto record = Add(0);
  AddNode("n1", "down");
  GroupPlan plan = Plan();
  EXPECT_THAT(plan.disconnect, ElementsAre(record));
  EXPECT_THAT(plan.place, IsEmpty());
  EXPECT_THAT(plan.follow_ups, IsEmpty()) << "it is unknown until its node is back";
  MakeUnknown(record, kNow - Duration(24h).count());
  plan = Plan();
  EXPECT_THAT(plan.stop, IsEmpty());
  EXPECT_THAT(plan.place, IsEmpty());
  // With a limit it is lost some time, but never replaced.
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  record->job = job;
  AllocOf(record)->job = job->job;
  plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kLost)));
  EXPECT_THAT(plan.place, IsEmpty());
  AllocOf(record)->desired_status = DesiredStatus::kStop;
  AllocOf(record)->desired_description = stop_reason::kLost;
  record->reported.status.status = ClientStatus::kLost;
  EXPECT_THAT(Plan().place, IsEmpty());
  NewVersion([](TaskGroup*) {});
  EXPECT_THAT(Places(Plan()), ElementsAre(0)) << "a new version is placed";
}

TEST_F(DisconnectTest, WhatItsNodeStopsByItselfIsReplacedAfterThat) {
  NewVersion([](TaskGroup* group) { group->disconnect.stop_on_client_after = 60s; });
  const auto record = Add(0);
  AddNode("n1", "down");
  GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kLost)));
  EXPECT_THAT(plan.place, IsEmpty()) << "it may still run";
  ASSERT_EQ(plan.follow_ups.size(), 1u);
  EXPECT_EQ(plan.follow_ups[0].alloc, record);
  EXPECT_EQ(plan.follow_ups[0].at, kNow + Duration(60s).count());
  AllocOf(record)->desired_status = DesiredStatus::kStop;
  AllocOf(record)->desired_description = stop_reason::kLost;
  record->reported.status.status = ClientStatus::kLost;
  ChangeOf(record, [](AllocChange* change) { change->follow_up_eval = "later"; });
  open_evals = {"later"};
  EXPECT_THAT(Plan().place, IsEmpty());
  NewVersion([](TaskGroup*) {});
  EXPECT_THAT(Plan().place, IsEmpty()) << "neither by a new version";
  eval_id = "later";
  plan = Plan();
  EXPECT_THAT(plan.follow_ups, IsEmpty());
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_EQ(plan.place[0].replaces, record);
  EXPECT_TRUE(plan.place[0].lost);
  eval_id = "now";
  open_evals.clear();
  EXPECT_THAT(Places(Plan()), ElementsAre(0)) << "a follow-up that is gone holds nothing up";
}

TEST_F(DisconnectTest, WhatItsNodeHasStoppedByItselfIsReplacedAtOnce) {
  NewVersion([](TaskGroup* group) { group->disconnect.stop_on_client_after = 5s; });
  const auto record = Add(0);
  record->reported.status.status = ClientStatus::kLost;
  const GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kLost)));
  EXPECT_THAT(Places(plan), ElementsAre(0));
}

TEST_F(DisconnectTest, OnANodeThatWasPurgedNothingIsAwaited) {
  NewVersion([](TaskGroup* group) { group->disconnect.replace = false; });
  const auto running = Add(0), unknown = Add(1);
  MakeUnknown(unknown, kNow);
  AddNode("n1", "down");
  NewVersion([](TaskGroup* group) { group->count = 2; });
  EXPECT_THAT(Stops(Plan()), IsEmpty());
  nodes.erase("n1");
  EXPECT_THAT(Stops(Plan()), ElementsAre(Pair(running->id(), stop_reason::kLost),
                                         Pair(unknown->id(), stop_reason::kLost)));
}

TEST_F(DisconnectTest, AReturnIsHandledOnce) {
  for (const auto how : {KeepRule::kKeepOriginal, KeepRule::kKeepReplacement}) {
    allocs.clear();
    NewVersion([how](TaskGroup* group) {
      group->disconnect.lost_after = 60s;
      group->disconnect.reconcile = how;
    });
    const auto original = Add(0), replacement = Add(0);
    ReplaceBy(original, replacement);
    MakeUnknown(original, kNow - 5);
    original->reported.status.status = ClientStatus::kRunning;
    const GroupPlan plan = Plan();
    const bool keeps = how == KeepRule::kKeepOriginal;
    EXPECT_THAT(Stops(plan), ElementsAre(Pair((keeps ? replacement : original)->id(),
                                              stop_reason::kReconnected)));
    EXPECT_THAT(plan.place, IsEmpty());
    EXPECT_EQ(plan.reconnect.size(), keeps ? 1u : 0u);
    if (!keeps) continue;
    ChangeOf(original,
             [](AllocChange* change) { change->states.push_back({ClientStatus::kRunning, kNow}); });
    AllocOf(replacement)->desired_status = DesiredStatus::kStop;
    EXPECT_THAT(Plan().reconnect, IsEmpty());
    EXPECT_THAT(Plan().stop, IsEmpty());
  }
}

// An original that is back, the replacement that became unknown in its turn, and that one's.
class ReplacedTwiceTest : public DisconnectTest {
 protected:
  void Begin(KeepRule how) {
    allocs.clear();
    NewVersion([how](TaskGroup* group) {
      group->disconnect.lost_after = 60s;
      group->disconnect.reconcile = how;
    });
    AddNode("n2", "disconnected");
    AddNode("n3");
    original = Add(0);
    first = Add(0, "n2");
    second = Add(0, "n3");
    ReplaceBy(original, first);
    ReplaceBy(first, second);
    MakeUnknown(original, kNow - 5);
    original->reported.status.status = ClientStatus::kRunning;
    MakeUnknown(first, kNow - 3);
  }

  std::shared_ptr<AllocRecord> original, first, second;
};

TEST_F(ReplacedTwiceTest, AfterAReturnOneOfAllReplacementsStays) {
  for (const auto how : {KeepRule::kKeepOriginal, KeepRule::kKeepReplacement}) {
    Begin(how);
    GroupPlan plan = Plan();
    if (how == KeepRule::kKeepOriginal) {
      EXPECT_THAT(Stops(plan), ElementsAre(Pair(first->id(), stop_reason::kReconnected),
                                           Pair(second->id(), stop_reason::kReconnected)));
      EXPECT_THAT(plan.follow_ups, IsEmpty()) << "neither will be looked at again";
    } else {
      EXPECT_THAT(Stops(plan), ElementsAre(Pair(original->id(), stop_reason::kReconnected)));
    }
    EXPECT_THAT(plan.place, IsEmpty());
  }
}

TEST_F(DisconnectTest, AFailureThatIsReportedAfterTheReturnWaitsForItsOwnTime) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  const auto record = Add(0);
  MakeUnknown(record, kNow - 5);
  ChangeOf(record, [](AllocChange* change) { change->follow_up_eval = "lost after"; });
  Fail(record);
  open_evals = {"lost after"};
  for (const char* id : {"now", "lost after"}) {
    eval_id = id;
    const GroupPlan plan = Plan();
    EXPECT_THAT(plan.reconnect, ElementsAre(record));
    EXPECT_THAT(plan.place, IsEmpty());
    ASSERT_EQ(plan.follow_ups.size(), 1u);
    EXPECT_EQ(plan.follow_ups[0].at, kNow + Duration(30s).count());
    EXPECT_EQ(plan.follow_ups[0].triggered_by, "alloc-failure");
  }
}

TEST_F(DisconnectTest, AnUnknownOneThatIsStoppedForGoodLeavesItsIndexToItsReplacement) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  AddNode("n1", "disconnected");
  AddNode("n2", "disconnected");
  const auto original = Add(0), replacement = Add(0, "n2");
  MakeUnknown(original, kNow - 5);
  MakeUnknown(replacement, kNow - 1);
  ReplaceBy(original, replacement);
  original->no_reschedule = true;
  EXPECT_THAT(Stops(Plan()), ElementsAre(Pair(original->id(), stop_reason::kNotNeeded)));
  EXPECT_THAT(Places(Plan()), ElementsAre(0)) << "of the replacement, which is unknown, too";
  // Later the replacement can be replaced as any other.
  AllocOf(original)->desired_status = DesiredStatus::kStop;
  AllocOf(original)->desired_description = stop_reason::kNotNeeded;
  AddNode("n2");
  replacement->reported.status.status = ClientStatus::kRunning;
  replacement->migrate = true;
  EXPECT_THAT(Stops(Plan()), ElementsAre(Pair(replacement->id(), stop_reason::kMigrated)));
  EXPECT_THAT(Places(Plan()), ElementsAre(0));
  AllocOf(replacement)->desired_status = DesiredStatus::kStop;
  AllocOf(replacement)->desired_description = stop_reason::kMigrated;
  EXPECT_THAT(Places(Plan()), ElementsAre(0));
}

TEST_F(DisconnectTest, WhatHasReturnedAndIsUnknownAgainIsReplacedAgain) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  AddNode("n2");
  const auto original = Add(0), first = Add(0, "n2");
  ReplaceBy(original, first);
  AllocOf(first)->desired_status = DesiredStatus::kStop;
  AllocOf(first)->desired_description = stop_reason::kReconnected;
  AddNode("n1", "disconnected");
  ASSERT_THAT(Plan().disconnect, ElementsAre(original));
  ASSERT_THAT(Places(Plan()), ElementsAre(0));
  EXPECT_EQ(Plan().place[0].replaces, original) << "so one of the two stops at its next return";
  AllocOf(first)->desired_description = stop_reason::kMigrated;
  ASSERT_THAT(Places(Plan()), ElementsAre(0));
  EXPECT_EQ(Plan().place[0].replaces, first) << "which was to be replaced";
}

TEST_F(DisconnectTest, TheReplacementHasTheIndexAlsoWhenItIsToBeReplacedItself) {
  NewVersion([](TaskGroup* group) { group->disconnect.lost_after = 60s; });
  AddNode("n1", "disconnected");
  AddNode("n2");
  const auto original = Add(0), replacement = Add(0, "n2");
  ReplaceBy(original, replacement);
  MakeUnknown(original, kNow - 5);
  Fail(replacement, kNow - Duration(30s).count());
  const auto expect_one_place = [&] {
    ASSERT_THAT(Places(Plan()), ElementsAre(0));
    EXPECT_EQ(Plan().place[0].replaces, replacement);
  };
  expect_one_place();
  AddNode("n1");  // the original will report again
  expect_one_place();
  AddNode("n1", "down");  // it is lost
  expect_one_place();
  AddNode("n1", "disconnected");
  AddNode("n2", "disconnected");
  MakeUnknown(replacement, kNow - 1);
  expect_one_place();
}

TEST_F(DisconnectTest, AReturnWithoutAReplacementGoesOn) {
  const auto record = Add(0);
  MakeUnknown(record, kNow - 5);
  EXPECT_THAT(Plan().reconnect, IsEmpty()) << "its node has not reported it yet";
  EXPECT_THAT(Plan().place, IsEmpty());
  record->reported.status.status = ClientStatus::kRunning;
  EXPECT_THAT(Plan().reconnect, ElementsAre(record));
  EXPECT_THAT(Plan().stop, IsEmpty());
  Fail(record);
  EXPECT_THAT(Plan().reconnect, ElementsAre(record));
  EXPECT_EQ(Plan().follow_ups.size(), 1u) << "it is rescheduled as any other";
}

TEST_F(DisconnectTest, WhatStopsOnALostNodeEnds) {
  const auto record = Add(0);
  AllocOf(record)->desired_status = DesiredStatus::kStop;
  AllocOf(record)->desired_description = "why";
  job->stop = true;
  EXPECT_THAT(Plan().stop, IsEmpty());
  AddNode("n1", "down");
  const GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), "why")));
  EXPECT_EQ(plan.stop[0].reports, ClientStatus::kLost);
}

TEST_F(ReplacedTwiceTest, OfSeveralReplacementsTheOneThatRunsIsCompared) {
  for (const auto how : {KeepRule::kKeepOriginal, KeepRule::kKeepReplacement}) {
    Begin(how);
    ChangeOf(first, [](AllocChange* change) { change->follow_up_eval = "later"; });
    open_evals = {"later"};
    GroupPlan plan = Plan();
    const bool keeps = how == KeepRule::kKeepOriginal;
    EXPECT_EQ(Stops(plan).count(original->id()), keeps ? 0u : 1u);
    EXPECT_EQ(plan.stop.size(), keeps ? 2u : 1u) << "all replacements, or the original";
    EXPECT_THAT(plan.place, IsEmpty());
    EXPECT_EQ(plan.reconnect.size(), keeps ? 1u : 0u);
    // Both nodes are back at the same time.
    AddNode("n2");
    first->reported.status.status = ClientStatus::kRunning;
    plan = Plan();
    EXPECT_EQ(plan.stop.size(), 2u) << "each stops once, and one goes on";
    EXPECT_EQ(Stops(plan).count((keeps ? original : second)->id()), 0u);
    EXPECT_THAT(plan.place, IsEmpty());
  }
}

TEST_F(DisconnectTest, ARequestToLeaveDoesNotWaitForTheNode) {
  NewVersion([](TaskGroup* group) { group->disconnect.replace = false; });
  const auto record = Add(0);
  AddNode("n1", "down");
  AddNode("n2");
  MakeUnknown(record, kNow - 5);
  ASSERT_THAT(Plan().stop, IsEmpty());
  record->migrate = true;
  GroupPlan plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kMigrated)));
  EXPECT_EQ(plan.stop[0].reports, ClientStatus::kLost);
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_EQ(plan.place[0].replaces, record);
  record->migrate = false;
  record->reschedule = record->force_reschedule = true;
  plan = Plan();
  EXPECT_THAT(Stops(plan), ElementsAre(Pair(record->id(), stop_reason::kRescheduled)));
  ASSERT_EQ(plan.place.size(), 1u);
  EXPECT_TRUE(plan.place[0].rescheduled);
}

}  // namespace
}  // namespace drover
