// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/loop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "host/base/context.h"

namespace drover {
namespace {

TEST(SimLoopTest, TimersFireInOrderAndCanBeCancelled) {
  SimLoop loop;
  std::vector<int> fired;
  loop.After(2s, [&] { fired.push_back(2); });
  loop.After(1s, [&] { fired.push_back(1); });
  loop.After(2s, [&] { fired.push_back(3); });
  const Loop::TimerId cancelled = loop.After(1s, [&] { fired.push_back(9); });
  loop.Cancel(cancelled);
  loop.Advance(1999ms);
  EXPECT_EQ(fired, (std::vector<int>{1}));
  loop.Advance(1ms);
  EXPECT_EQ(fired, (std::vector<int>{1, 2, 3}));
  loop.Cancel(cancelled);
  loop.Cancel(0);
}

TEST(SimLoopTest, RunToEndTellsWhatCannotEnd) {
  SimLoop loop;
  Context context(&loop);
  auto forever = [](Context in) -> Co<void> { co_await in.Cancelled(); };
  EXPECT_FALSE(loop.RunToEnd(forever(context)));
  context.Cancel();
  loop.RunReady();
}

TEST(RealLoopTest, RunsTimersInOrder) {
  RealLoop loop;
  std::vector<int> fired;
  loop.After(20ms, [&] {
    fired.push_back(2);
    loop.Stop();
  });
  loop.After(1ms, [&] { fired.push_back(1); });
  loop.Run();
  EXPECT_EQ(fired, (std::vector<int>{1, 2}));
}

TEST(RealLoopTest, PostFromAnotherThreadWakesIt) {
  RealLoop loop;
  std::thread::id ran;
  std::thread other([&] {
    loop.Post([&] {
      ran = std::this_thread::get_id();
      loop.Stop();
    });
  });
  loop.Run();
  other.join();
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(RealLoopTest, RunToEndGivesUpAtItsLimit) {
  RealLoop loop;
  Context context(&loop);
  auto forever = [](Context in) -> Co<void> { co_await in.Cancelled(); };
  EXPECT_FALSE(loop.RunToEnd(forever(context), 10ms));
  context.Cancel();
  EXPECT_TRUE(loop.RunToEnd(forever(context)));
}

TEST(LoopDeathTest, AnExceptionThatLeavesACoroutineAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        SimLoop loop;
        auto fail = []() -> Co<void> {
          throw std::runtime_error("a broken invariant");
          co_return;
        };
        loop.Spawn(fail());
        loop.RunReady();
      },
      "a broken invariant");
}

}  // namespace
}  // namespace drover
