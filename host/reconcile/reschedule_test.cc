// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/reschedule.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace drover {
namespace {

using testing::ElementsAre;
using DelayFunction = ReschedulePolicy::DelayFunction;
constexpr WallTime kStart = 1'700'000'000'000'000'000;

std::shared_ptr<AllocRecord> FailedRecord(WallTime at, WallTime placed = 0) {
  auto alloc = std::make_shared<Allocation>();
  alloc->create_time = placed;
  alloc->id = "failed";
  alloc->node_id = "node";
  auto record = std::make_shared<AllocRecord>();
  record->alloc = std::move(alloc);
  record->reported.status.status = ClientStatus::kFailed;
  record->reported.modify_time = at;
  return record;
}

// Returns the first COUNT delays if each replacement fails as soon as it was placed.
std::vector<int> DelaysOf(const ReschedulePolicy& policy, int count) {
  std::vector<int> out;
  AllocChange change;
  WallTime now = kStart;
  for (int i = 0; i < count; ++i) {
    const Duration delay = NextDelay(policy, change, now);
    now += delay.count();
    change.reschedules.push_back({now, "a", "node", delay});
    out.push_back(static_cast<int>(delay / 1s));
  }
  return out;
}

TEST(RescheduleTest, DelaysGrowAsTheirFunctionSays) {
  ReschedulePolicy policy;
  policy.delay = 30s;
  policy.max_delay = 200s;
  policy.delay_function = DelayFunction::kConstant;
  EXPECT_THAT(DelaysOf(policy, 4), ElementsAre(30, 30, 30, 30));
  policy.delay_function = DelayFunction::kExponential;
  EXPECT_THAT(DelaysOf(policy, 5), ElementsAre(30, 60, 120, 200, 200));
  policy.delay_function = DelayFunction::kFibonacci;
  EXPECT_THAT(DelaysOf(policy, 7), ElementsAre(30, 30, 60, 90, 150, 200, 200));
}

TEST(RescheduleTest, AfterALongRunTheDelaysBeginAnew) {
  for (const auto function : {DelayFunction::kExponential, DelayFunction::kFibonacci}) {
    ReschedulePolicy policy;
    policy.delay = 30s;
    policy.max_delay = 600s;
    policy.delay_function = function;
    AllocChange change;
    change.reschedules = {{kStart, "a", "n", 120s}, {kStart, "b", "n", 240s}};
    const WallTime late = kStart + Duration(601s).count();
    EXPECT_GT(NextDelay(policy, change, kStart + Duration(600s).count()), 240s);
    EXPECT_EQ(NextDelay(policy, change, late), 30s);
    change.reschedules.push_back({late, "c", "n", 30s});
    const Duration second = NextDelay(policy, change, late);
    EXPECT_EQ(second, function == DelayFunction::kFibonacci ? 30s : 60s);
    change.reschedules.push_back({late, "d", "n", second});
    const Duration third = NextDelay(policy, change, late);
    EXPECT_EQ(third, function == DelayFunction::kFibonacci ? 60s : 120s);
  }
}

TEST(RescheduleTest, DelaysOfUncheckedJobsDoNoHarm) {
  ReschedulePolicy policy;
  policy.delay = 0s;
  policy.delay_function = DelayFunction::kConstant;
  EXPECT_EQ(NextDelay(policy, {}, kStart), 5s);
  policy.delay = Duration::min();
  EXPECT_EQ(NextDelay(policy, {}, kStart), 5s);
  policy.delay = Duration::max();
  EXPECT_GT(*RescheduleTime(policy, *FailedRecord(kStart), kStart), kStart);
  policy.delay_function = DelayFunction::kExponential;
  policy.max_delay = 0s;
  AllocChange change;
  change.reschedules = {{kStart, "a", "n", Duration::max()}};
  EXPECT_EQ(NextDelay(policy, change, kStart), Duration::max());
  const auto record = FailedRecord(kStart);
  record->change = std::make_shared<const AllocChange>(change);
  EXPECT_GT(*RescheduleTime(policy, *record, kStart), kStart);
}

TEST(RescheduleTest, AttemptsCountWithinTheInterval) {
  ReschedulePolicy policy;
  policy.unlimited = false;
  policy.attempts = 2;
  policy.interval = 1h;
  policy.delay = 10s;
  policy.delay_function = DelayFunction::kConstant;
  const auto record = FailedRecord(kStart);
  const auto past = [&](std::vector<Duration> ages) {
    AllocChange change;
    for (const Duration age : ages) {
      change.reschedules.push_back({kStart - age.count(), "a", "n", 10s});
    }
    record->change = std::make_shared<const AllocChange>(std::move(change));
    return RescheduleTime(policy, *record, kStart);
  };
  const WallTime next = kStart + Duration(10s).count();
  EXPECT_EQ(past({}), next);
  EXPECT_EQ(past({59min}), next);
  EXPECT_EQ(past({59min, 1min}), std::nullopt);
  EXPECT_EQ(past({60min, 1min}), next) << "the first one is too old to count";
  policy.attempts = 0;
  EXPECT_EQ(past({}), std::nullopt);
  policy.unlimited = true;
  EXPECT_EQ(past({3min, 2min, 1min}), next);
}

TEST(RescheduleTest, TheTimeOfTheFailureIsTheLastEndOfATask) {
  const auto record = FailedRecord(kStart);
  EXPECT_EQ(FailedAt(*record, kStart), kStart);
  for (const auto& [name, at] : {std::pair("a", kStart - 7), std::pair("b", kStart - 9)}) {
    auto task = std::make_shared<TaskStateRecord>();
    task->finished_at = at;
    record->reported.tasks[name] = std::move(task);
  }
  EXPECT_EQ(FailedAt(*record, kStart), kStart - 7);
  record->reported.tasks.clear();
  record->reported.modify_time = 0;
  record->modify_time = kStart + 5;
  EXPECT_EQ(FailedAt(*record, kStart + 9), kStart + 5);
  // A node whose clock is ahead delays nothing.
  EXPECT_EQ(RescheduleTime({}, *record, kStart), kStart + Duration(30s).count());
}

TEST(RescheduleTest, AWrongClockOfANodeChangesNoDelay) {
  ReschedulePolicy policy;
  policy.delay = 30s;
  policy.max_delay = 1h;
  policy.delay_function = DelayFunction::kExponential;
  policy.unlimited = false;
  policy.attempts = 2;
  policy.interval = 24h;
  AllocChange change;
  change.reschedules = {{kStart - 60'000'000'000, "a", "node", 30s}};
  constexpr WallTime kYear2200 = 7'258'118'400'000'000'000;
  using Limits = std::numeric_limits<WallTime>;
  for (const WallTime at :
       {kYear2200, Limits::max(), WallTime{1}, WallTime{-1}, -kYear2200, Limits::min()}) {
    for (const bool by_task : {false, true}) {
      const auto record = FailedRecord(at, kStart - 1000);
      if (by_task) {
        auto task = std::make_shared<TaskStateRecord>();
        task->finished_at = at;
        record->reported.tasks["t"] = std::move(task);
      }
      record->change = std::make_shared<const AllocChange>(change);
      EXPECT_EQ(RescheduleTime(policy, *record, kStart), kStart + Duration(60s).count()) << at;
      EXPECT_EQ(AfterReschedule(policy, *record, kStart).reschedules.back().delay, 60s) << at;
    }
  }
}

// Otherwise the wait for the replacement would look like a run without a failure.
TEST(RescheduleTest, IfTheClockOfANodeIsWrongTheTimeOfItsReportCounts) {
  ReschedulePolicy policy;
  policy.max_delay = 60s;
  const auto record = FailedRecord(kStart, kStart - Duration(30s).count());
  auto task = std::make_shared<TaskStateRecord>();
  task->finished_at = kStart + Duration(1h).count();
  record->reported.tasks["t"] = std::move(task);
  AllocChange change;
  change.reschedules = {{kStart - Duration(30s).count(), "a", "node", 60s}};
  record->change = std::make_shared<const AllocChange>(change);
  for (const Duration later : {Duration(0s), Duration(60s)}) {
    const WallTime now = kStart + later.count();
    EXPECT_EQ(RescheduleTime(policy, *record, now), kStart + Duration(60s).count());
    EXPECT_EQ(AfterReschedule(policy, *record, now).reschedules.back().delay, 60s);
  }
}

TEST(RescheduleTest, TheReplacementKnowsWhatHasHappened) {
  ReschedulePolicy policy;
  auto record = FailedRecord(kStart);
  for (int i = 0; i < 8; ++i) {
    const AllocChange after = AfterReschedule(policy, *record, kStart + i);
    ASSERT_EQ(after.reschedules.size(), static_cast<std::size_t>(std::min(i + 1, 5)));
    EXPECT_EQ(after.reschedules.back().previous_alloc, "failed");
    EXPECT_EQ(after.reschedules.back().previous_node, "node");
    EXPECT_EQ(after.reschedules.back().time, kStart + i);
    EXPECT_EQ(after.reschedules.back().delay, std::min<Duration>(30s * (1 << i), 1h));
    EXPECT_EQ(after.last_reschedule, "ok");
    EXPECT_EQ(after.follow_up_eval, "");
    AllocChange of_next = after;
    of_next.follow_up_eval = "eval";
    of_next.states.push_back({ClientStatus::kUnknown, kStart});
    record->change = std::make_shared<const AllocChange>(std::move(of_next));
  }
  // A limited policy needs the events of its interval.
  policy.unlimited = false;
  policy.attempts = 100;
  policy.interval = 1h;
  for (int i = 8; i < 20; ++i) {
    record->change =
        std::make_shared<const AllocChange>(AfterReschedule(policy, *record, kStart + i));
  }
  EXPECT_EQ(record->change->reschedules.size(), 17u);
  const AllocChange late = AfterReschedule(policy, *record, kStart + Duration(2h).count());
  EXPECT_EQ(late.reschedules.size(), 5u);
}

}  // namespace
}  // namespace drover
