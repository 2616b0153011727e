// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/patience.h"

#include <gtest/gtest.h>

#include <optional>

#include "host/base/stoppable_loop.h"

namespace drover {
namespace {

class PatienceTest : public testing::Test {
 protected:
  StoppableLoop loop_;
  Context parent_{&loop_};
};

TEST_F(PatienceTest, EndsAfterItsLimitToTheNanosecond) {
  for (const Duration limit : {Duration(10s), Duration(3), Duration(7), Duration(1)}) {
    const Patience patience(parent_, limit);
    loop_.Advance(limit - Duration(1));
    EXPECT_FALSE(patience.context().cancelled()) << limit.count();
    loop_.Advance(Duration(1));
    EXPECT_EQ(patience.context().status().code(), Code::kTimeout) << limit.count();
  }
  EXPECT_EQ(loop_.live_timers(), 0u);
}

TEST_F(PatienceTest, ALongStandstillCostsWhatHadPassedOfAPart) {
  for (const Duration before : {Duration(0), Duration(1s), Duration(9s)}) {
    const Patience patience(parent_, 12s);
    loop_.Advance(before);
    loop_.StandStill(std::chrono::hours(1));
    EXPECT_FALSE(patience.context().cancelled());
    // The interrupted part begins again.
    const auto over = before / 3s;
    loop_.Advance((4 - over) * 3s - Duration(1));
    EXPECT_FALSE(patience.context().cancelled());
    loop_.Advance(Duration(1));
    EXPECT_TRUE(patience.context().cancelled());
  }
}

TEST_F(PatienceTest, AShortStandstillCostsItself) {
  const Patience patience(parent_, 12s);
  loop_.Advance(2s);
  loop_.StandStill(2s);
  loop_.Advance(9s - Duration(1));
  EXPECT_FALSE(patience.context().cancelled());
  loop_.Advance(Duration(1));
  EXPECT_TRUE(patience.context().cancelled());
}

TEST_F(PatienceTest, EndsWithItsParentAndItsScope) {
  std::optional<Context> kept;
  {
    const Patience patience(parent_, 1s);
    kept = patience.context();
    EXPECT_FALSE(kept->cancelled());
  }
  EXPECT_EQ(kept->status().code(), Code::kCancelled);
  EXPECT_EQ(loop_.live_timers(), 0u);
  const Patience patience(parent_, 1s);
  parent_.Cancel("over");
  EXPECT_EQ(patience.context().status().error().message(), "over");
  const Patience late(parent_, 1s);
  EXPECT_TRUE(late.context().cancelled());
}

TEST_F(PatienceTest, NoneIsOverAtOnce) {
  const Patience patience(parent_, Duration(0));
  EXPECT_FALSE(patience.context().cancelled());
  loop_.Advance(Duration(0));
  EXPECT_EQ(patience.context().status().code(), Code::kTimeout);
}

}  // namespace
}  // namespace drover
