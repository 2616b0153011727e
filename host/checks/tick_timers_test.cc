// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/tick_timers.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace drover {
namespace {

// Counts how often its timers wake it, and how often the first of them changes.
class CountingLoop : public SimLoop {
 public:
  int wakes = 0;
  int changes = 0;
  void Run(Duration duration) {
    const TimePoint end = Now() + duration;
    while (HasTimer() && FirstTimer() <= end) {
      Advance(FirstTimer() - Now());
      ++wakes;
    }
    Advance(end - Now());
  }

 protected:
  void TimersChanged() override { ++changes; }
};

TEST(TickTimersTest, TimersFireAtTheEndOfTheirTick) {
  SimLoop loop;
  TickTimers timers(&loop, 50ms);
  std::vector<int> fired;
  timers.At(loop.Now() + 20ms, [&] { fired.push_back(2); });
  timers.At(loop.Now() + 10ms, [&] { fired.push_back(1); });
  timers.At(loop.Now() + 51ms, [&] { fired.push_back(3); });
  loop.Advance(49ms);
  EXPECT_TRUE(fired.empty());
  loop.Advance(1ms);
  EXPECT_EQ(fired.size(), 2u);
  loop.Advance(50ms);
  EXPECT_EQ(fired.back(), 3);
  EXPECT_EQ(timers.size(), 0u);
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST(TickTimersTest, ACancelledTimerDoesNotFire) {
  SimLoop loop;
  TickTimers timers(&loop, 50ms);
  int fired = 0;
  const TickTimers::Id first = timers.At(loop.Now() + 10ms, [&] { ++fired; });
  timers.At(loop.Now() + 10ms, [&] {
    ++fired;
    timers.At(loop.Now(), [&] { ++fired; });
  });
  timers.Cancel(first);
  timers.Cancel(first);
  timers.Cancel(TickTimers::Id());
  loop.Advance(50ms);
  EXPECT_EQ(fired, 2) << "a timer that is due at once fires in the same turn";
}

TEST(TickTimersTest, ManyTimersNeedFewWakeUps) {
  CountingLoop loop;
  TickTimers timers(&loop, 50ms);
  int fired = 0;
  for (int i = 0; i < 1000; ++i) {
    timers.At(loop.Now() + std::chrono::milliseconds(i), [&] { ++fired; });
    const TickTimers::Id timeout =
        timers.At(loop.Now() + std::chrono::milliseconds(i + 500), [&] { ++fired; });
    timers.Cancel(timeout);
  }
  loop.Run(2s);
  EXPECT_EQ(fired, 1000);
  EXPECT_LE(loop.wakes, 21);
}

TEST(TickTimersTest, TimersThatAreSetAgainWhenTheyFireNeedOneTimerOfTheLoop) {
  constexpr int kTimers = 50;
  CountingLoop loop;
  TickTimers timers(&loop, 50ms);
  int fired = 0;
  std::function<void()> fire = [&] {
    ++fired;
    timers.At(loop.Now() + 1s, [&] { fire(); });
  };
  for (int i = 0; i < kTimers; ++i) timers.At(loop.Now() + 1s, [&] { fire(); });
  loop.Run(5s);
  EXPECT_EQ(fired, 5 * kTimers);
  EXPECT_EQ(loop.changes, 6) << "at the begin, and once for each second";
}

TEST(TickTimersTest, GoingAwayTakesTheTimerBack) {
  SimLoop loop;
  {
    TickTimers timers(&loop, 50ms);
    timers.At(loop.Now() + 1s, [] {});
  }
  EXPECT_EQ(loop.live_timers(), 0u);
}

}  // namespace
}  // namespace drover
