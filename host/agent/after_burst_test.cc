// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/after_burst.h"

#include <gtest/gtest.h>

#include "host/base/gate.h"

namespace drover {
namespace {

class AfterBurstTest : public ::testing::Test {
 protected:
  AfterBurstTest() { EXPECT_TRUE(gate_.Spawn(burst_.Run(running_))); }
  ~AfterBurstTest() override {
    running_.Cancel();
    EXPECT_TRUE(loop_.RunToEnd(gate_.Close()));
  }

  SimLoop loop_;
  Context running_{&loop_};
  Gate gate_{&loop_};
  int worked_ = 0;
  AfterBurst burst_{&loop_, [this]() -> Co<void> {
                      ++worked_;
                      co_return;
                    }};
};

TEST_F(AfterBurstTest, WorksOnceWhenManyThingsHaveHappened) {
  for (int i = 1; i < AfterBurst::kMany; ++i) burst_.Note();
  loop_.Advance(1h);
  EXPECT_EQ(worked_, 0) << "they are too few";
  burst_.Note();
  loop_.Advance(1h);
  EXPECT_EQ(worked_, 1);
  burst_.Note(AfterBurst::kMany - 1);
  loop_.Advance(1h);
  EXPECT_EQ(worked_, 1) << "they are counted anew";
  burst_.Note();
  loop_.Advance(1h);
  EXPECT_EQ(worked_, 2);
}

TEST_F(AfterBurstTest, WaitsUntilItIsQuiet) {
  burst_.Note(AfterBurst::kMany);
  for (int i = 0; i < 100; ++i) {
    loop_.Advance(AfterBurst::kQuiet / 2);
    burst_.Note();
  }
  EXPECT_EQ(worked_, 0);
  loop_.Advance(2 * AfterBurst::kQuiet);
  EXPECT_EQ(worked_, 1);
}

TEST_F(AfterBurstTest, WaitsForNoEndOfWhatGoesOn) {
  burst_.Note(AfterBurst::kMany);
  for (Duration time{}; time < AfterBurst::kLongest + AfterBurst::kQuiet; time += 100ms) {
    loop_.Advance(100ms);
    burst_.Note();
  }
  EXPECT_EQ(worked_, 1);
}

TEST_F(AfterBurstTest, EndsWhileItWaits) {
  burst_.Note(AfterBurst::kMany);
  loop_.RunReady();
  running_.Cancel();
  EXPECT_TRUE(loop_.RunToEnd(gate_.Close()));
  EXPECT_EQ(worked_, 0);
}

}  // namespace
}  // namespace drover
