// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/contact_watch.h"

#include <gmock/gmock.h>

#include <vector>

#include "host/base/gate.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ContactWatchTest : public ::testing::Test {
 protected:
  ContactWatchTest() {
    EXPECT_TRUE(gate_.Spawn(watch_.Run(life_)));
    loop_.RunReady();
  }
  ~ContactWatchTest() override {
    life_.Cancel();
    EXPECT_TRUE(loop_.RunToEnd(gate_.Close()));
  }

  SimLoop loop_;
  std::vector<std::string> stopped_;
  ContactWatch watch_{&loop_, [this](const std::string& id) { stopped_.push_back(id); }};
  Context life_{&loop_};
  Gate gate_{&loop_};
};

TEST_F(ContactWatchTest, StopsEachOnceAfterItsLimit) {
  watch_.Watch("long", 60s);
  watch_.Watch("short", 10s);
  loop_.Advance(9s);
  EXPECT_THAT(stopped_, IsEmpty());
  loop_.Advance(1s);
  EXPECT_THAT(stopped_, ElementsAre("short"));
  loop_.Advance(10min);
  EXPECT_THAT(stopped_, ElementsAre("short", "long"));
  EXPECT_EQ(watch_.watched(), 0u);
}

TEST_F(ContactWatchTest, AnAnswerBeginsTheTimeAnew) {
  watch_.Watch("a", 30s);
  for (int i = 0; i < 20; ++i) {
    loop_.Advance(10s);
    watch_.Heard(10s);
  }
  EXPECT_THAT(stopped_, IsEmpty());
  loop_.Advance(29s);
  EXPECT_THAT(stopped_, IsEmpty());
  loop_.Advance(1s);
  EXPECT_THAT(stopped_, ElementsAre("a"));
}

TEST_F(ContactWatchTest, BetweenTwoHeartbeatsNothingStops) {
  watch_.Watch("a", 1s);
  watch_.Heard(10s);
  for (int i = 0; i < 20; ++i) {
    loop_.Advance(12s);  // the answer takes its time
    watch_.Heard(10s);
  }
  EXPECT_THAT(stopped_, IsEmpty());
  loop_.Advance(15s);
  EXPECT_THAT(stopped_, ElementsAre("a"));
}

TEST_F(ContactWatchTest, ALimitMayChangeAndGo) {
  watch_.Watch("a", 30s);
  watch_.Watch("b", 30s);
  loop_.Advance(20s);
  watch_.Watch("a", 10s);
  loop_.RunReady();
  EXPECT_THAT(stopped_, ElementsAre("a")) << "its new limit has passed";
  watch_.Forget("b");
  watch_.Forget("unknown");
  loop_.Advance(1h);
  EXPECT_THAT(stopped_, ElementsAre("a"));
}

TEST_F(ContactWatchTest, WithoutLimitsItSetsNoTimer) {
  watch_.Heard(10s);
  EXPECT_EQ(loop_.live_timers(), 0u);
}

}  // namespace
}  // namespace drover
