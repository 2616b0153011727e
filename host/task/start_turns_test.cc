// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/driver/start_turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/base/gate.h"

namespace drover {
namespace {

struct Starts {
  explicit Starts(Loop* of) : loop(of), turns(of) {}
  Loop* loop;
  StartTurns turns;
  int now = 0;
  int most = 0;
  std::vector<int> begun;
};

Co<void> StartFor(Starts* starts, Context context, int number, Duration time) {
  const auto turn = co_await starts->turns.Take(context);
  if (!turn.ok()) co_return;
  starts->begun.push_back(number);
  starts->most = std::max(starts->most, ++starts->now);
  const Context own(starts->loop);
  (void)co_await Sleep(own, time);
  --starts->now;
}

Co<void> StartMany(Starts* starts, int count) {
  const Context context(starts->loop);
  std::vector<Co<void>> all;
  for (int i = 0; i < count; ++i) all.push_back(StartFor(starts, context, i, 1s));
  co_await InParallel(starts->loop, std::move(all));
}

TEST(StartTurnsTest, NoMoreStartsRunThanTheLimitAndTheyBeginInSequence) {
  SimLoop loop;
  Starts starts(&loop);
  starts.turns.SetLimit(2);
  const TimePoint began = loop.Now();
  loop.RunToEnd(StartMany(&starts, 5));
  EXPECT_EQ(starts.most, 2);
  EXPECT_EQ(starts.begun, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(loop.Now() - began, 3s);
}

TEST(StartTurnsTest, WithoutALimitAllRunAtOnce) {
  SimLoop loop;
  Starts starts(&loop);
  loop.RunToEnd(StartMany(&starts, 5));
  EXPECT_EQ(starts.most, 5);
}

Co<void> GiveUpOne(Starts* starts) {
  const Context context(starts->loop);
  const Context soon = context.WithTimeout(100ms);
  std::vector<Co<void>> all;
  all.push_back(StartFor(starts, context, 0, 1s));
  all.push_back(StartFor(starts, soon, 1, 1s));
  all.push_back(StartFor(starts, context, 2, 1s));
  co_await InParallel(starts->loop, std::move(all));
}

TEST(StartTurnsTest, AStartThatIsGivenUpDelaysNoOther) {
  SimLoop loop;
  Starts starts(&loop);
  starts.turns.SetLimit(1);
  loop.RunToEnd(GiveUpOne(&starts));
  EXPECT_EQ(starts.begun, (std::vector<int>{0, 2}));
  EXPECT_EQ(starts.turns.waiting(), 0u);
}

}  // namespace
}  // namespace drover
