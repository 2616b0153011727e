// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/runner_fixture.h"

// What a driver fetches for a task before it starts.
namespace drover {
namespace {

using testing::ElementsAre;

struct RunnerPrepareTest : RunnerTest {
  RunnerPrepareTest() { driver.prepares = true; }
  std::string LastText() const { return DisplayMessage(state()->events.back()); }
};

TEST_F(RunnerPrepareTest, ItComesBeforeTheStartAndIsShown) {
  script().prepare_delay = 20min;  // longer than a start may take
  Start();
  EXPECT_EQ(LastText(), "Preparing: 50 % (1 of 2 steps)");
  EXPECT_EQ(phase(), RunnerState::kPending);
  loop.Advance(19min);
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web"));
  EXPECT_TRUE(store.saved.empty() || !store.saved.back()->run_id) << "there is no run yet";
  loop.Advance(1min);
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web", "start web"));
  EXPECT_EQ(types.back(), "Started");
  Kill();
}

TEST_F(RunnerPrepareTest, ADriverThatPreparesNothingIsNotAsked) {
  driver.prepares = false;
  Start();
  EXPECT_THAT(driver.calls(), ElementsAre("start web"));
  Kill();
}

TEST_F(RunnerPrepareTest, AKillEndsItAtOnce) {
  script().prepare_blocks = true;
  Start();
  loop.Advance(5min);
  Kill();
  EXPECT_TRUE(over);
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web"));
}

TEST_F(RunnerPrepareTest, AFailureCountsAsAFailedStart) {
  policy().attempts = 1;
  script().prepare_error = Error(Code::kInternal, "no such image", true);
  Start();
  EXPECT_THAT(types, testing::Contains("Driver Failure"));
  EXPECT_EQ(types.back(), "Restarting");
  bool told = false;
  for (const TaskEvent& event : state()->events) {
    told |= DisplayMessage(event) == "preparing the task: no such image";
  }
  EXPECT_TRUE(told);
  script().prepare_error.reset();
  loop.Advance(10s);
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web", "prepare web", "start web"));
  Kill();
}

TEST_F(RunnerPrepareTest, ItHasALimit) {
  policy().attempts = 1;
  script().prepare_blocks = true;
  Start();
  loop.Advance(services.prepare_timeout);
  EXPECT_EQ(types.back(), "Restarting");
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web"));
  Kill();
}

// The driver is asked once more if it was away, as in a start.
TEST_F(RunnerPrepareTest, ADriverThatWasAwayIsAskedAgain) {
  script().prepare_error = Error(Code::kUnavailable, "it has ended", true);
  Start();
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web", "prepare web"));
  Finish();
}

TEST_F(RunnerPrepareTest, TheNextAgentPreparesAgain) {
  script().prepare_delay = 1min;
  Start();
  loop.Advance(30s);
  const TaskRecords kept{*state(), LocalState()};
  Shutdown();
  EXPECT_TRUE(shut_down);
  runner = nullptr;
  over = shut_down = false;
  options.restored = kept;
  Start();
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web", "prepare web"));
  loop.Advance(1min);
  EXPECT_THAT(driver.calls(), ElementsAre("prepare web", "prepare web", "start web"));
  Kill();
}

}  // namespace
}  // namespace drover
