// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/gate.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

Co<void> SleepThenCount(Context context, Duration duration, int* count) {
  [[maybe_unused]] const Status status = co_await Sleep(context, duration);
  ++*count;
}

TEST(GateTest, CloseJoinsAllAndLetsNothingIn) {
  SimLoop loop;
  const Context context(&loop);
  Gate gate(&loop);
  int count = 0;
  EXPECT_TRUE(gate.Spawn(SleepThenCount(context, 1s, &count)));
  EXPECT_TRUE(gate.Spawn(SleepThenCount(context, 3s, &count)));
  bool closed = false;
  auto close = [](Gate* on, bool* out) -> Co<void> {
    co_await on->Close();
    *out = true;
  };
  loop.Spawn(close(&gate, &closed));
  loop.Advance(2s);
  EXPECT_FALSE(closed);
  EXPECT_FALSE(gate.Spawn(SleepThenCount(context, 1s, &count)));
  loop.Advance(1s);
  EXPECT_TRUE(closed);
  EXPECT_EQ(count, 2);
}

TEST(GateTest, InParallelReturnsWithTheLast) {
  SimLoop loop;
  const Context context(&loop);
  int count = 0;
  std::vector<Co<void>> all;
  for (const Duration duration : {Duration(3s), Duration(1s), Duration(2s)}) {
    all.push_back(SleepThenCount(context, duration, &count));
  }
  const TimePoint start = loop.Now();
  EXPECT_TRUE(loop.RunToEnd(InParallel(&loop, std::move(all))));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(loop.Now() - start, 3s);
}

}  // namespace
}  // namespace drover
