// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/timers.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using TimerKind = SchedulerTimers::Kind;

TEST(SchedulerTimersTest, TakesTheEarliestFirst) {
  SimLoop loop;
  SchedulerTimers timers(&loop);
  const TimePoint now = loop.Now();
  timers.Set({TimerKind::kFollowUp, "late"}, now + 20s);
  timers.Set({TimerKind::kDeployment, "early"}, now + 10s);
  timers.Set({TimerKind::kFollowUp, "erased"}, now + 1s);
  timers.Erase({TimerKind::kFollowUp, "erased"});
  EXPECT_EQ(timers.Left(1h), 10s);
  EXPECT_EQ(timers.Left(5s), 5s);
  EXPECT_TRUE(timers.TakeDue(10).empty());
  loop.Advance(30s);
  EXPECT_EQ(timers.Left(1h), 0s);
  const auto first = timers.TakeDue(1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].second, "early");
  EXPECT_EQ(timers.TakeDue(10).at(0).second, "late");
  EXPECT_EQ(timers.size(), 0u);
  EXPECT_EQ(timers.Left(1h), 1h);
}

TEST(SchedulerTimersTest, TakesThoseOfOneTimeInTheOrderOfTheirKeys) {
  SimLoop loop;
  SchedulerTimers timers(&loop);
  std::vector<SchedulerTimers::Key> keys;
  for (const TimerKind kind : {TimerKind::kFollowUp, TimerKind::kDeployment, TimerKind::kNode}) {
    for (const char* const id : {"a", "b", "c"}) keys.emplace_back(kind, id);
  }
  const TimePoint at = loop.Now() + 1s;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) timers.Set(*key, at);
  timers.Erase(keys[4]);
  timers.Set(keys[4], at);
  loop.Advance(1s);
  EXPECT_EQ(timers.TakeDue(100), keys);
}

TEST(SchedulerTimersTest, SetAgainMovesATimer) {
  SimLoop loop;
  SchedulerTimers timers(&loop);
  const SchedulerTimers::Key key(TimerKind::kNode, "n");
  timers.Set(key, loop.Now() + 5s);
  timers.SetWall(key, loop.Wall() + Duration(8s).count());
  EXPECT_EQ(timers.size(), 1u);
  EXPECT_EQ(timers.Left(1h), 8s);
}

TEST(SchedulerTimersTest, LooksAtTheClockEachMinuteWhileThereAreLaunches) {
  SimLoop loop;
  SchedulerTimers timers(&loop);
  const SchedulerTimers::Key key(TimerKind::kLaunch, LaunchTimerId({"default", "j"}));
  EXPECT_EQ(JobOfLaunchTimer(key.second), std::pair(std::string("default"), std::string("j")));
  timers.Set(key, loop.Now() + 2h);
  EXPECT_EQ(timers.Left(1h), 1min);
  EXPECT_FALSE(timers.Recheck());
  timers.Erase(key);
  EXPECT_EQ(timers.Left(1h), 1h);
}

}  // namespace
}  // namespace drover
