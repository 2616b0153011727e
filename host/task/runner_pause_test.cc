// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/task/runner_fixture.h"
#include "host/task/task_record.h"

// Tasks that are paused.
namespace drover {
namespace {

using testing::Contains;
using testing::ElementsAre;

struct RunnerPauseTest : RunnerTest {
  Status Pause(bool paused = true) { return Ask(runner->Pause(paused)); }
};

TEST_F(RunnerPauseTest, ATaskIsHeldAndGoesOn) {
  Start();
  EXPECT_TRUE(Pause().ok());
  EXPECT_TRUE(state()->paused);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_TRUE(Pause().ok());  // no second event
  EXPECT_TRUE(Pause(false).ok());
  EXPECT_FALSE(state()->paused);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Paused", "Resumed"));
  Kill();
}

TEST_F(RunnerPauseTest, AStopLetsATaskGoOnFirst) {
  Start();
  ASSERT_TRUE(Pause().ok());
  Kill();
  const auto& calls = driver.calls();
  const auto resumed = std::ranges::find(calls, "resume web");
  ASSERT_NE(resumed, calls.end());
  EXPECT_TRUE(std::any_of(resumed, calls.end(),
                          [](const std::string& call) { return call.starts_with("stop web"); }));
  EXPECT_FALSE(state()->paused);
}

// In its shutdown delay a task serves its last clients.
TEST_F(RunnerPauseTest, AShutdownDelayBeginsWithoutThePause) {
  task().shutdown_delay = 10s;
  Start();
  ASSERT_TRUE(Pause().ok());
  Kill();
  EXPECT_THAT(driver.calls(), Contains("resume web"));
  EXPECT_FALSE(state()->paused);
  loop.Advance(10s);
  EXPECT_EQ(phase(), RunnerState::kDead);
}

TEST_F(RunnerPauseTest, APauseThatComesDuringAStopIsUndone) {
  script().pause_delay = 1s;
  script().stop_delay = 3s;
  Start();
  std::optional<Status> answer;
  const auto ask = [](Co<Status> inner, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await std::move(inner);
    out->emplace(status);
  };
  loop.Spawn(ask(runner->Pause(true), &answer));
  loop.RunReady();
  Kill();
  EXPECT_FALSE(answer);
  loop.Advance(10s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code(), Code::kFailedPrecondition);
  EXPECT_THAT(driver.calls(), Contains("resume web"));
  EXPECT_THAT(types, testing::Not(Contains("Paused")));
}

TEST_F(RunnerPauseTest, ARestartEndsThePause) {
  Start();
  ASSERT_TRUE(Pause().ok());
  ASSERT_TRUE(Restart().ok());
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_FALSE(state()->paused);
  Kill();
}

TEST_F(RunnerPauseTest, ATaskThatDoesNotRunCannotBePaused) {
  gate.open.Reset();
  Start();
  EXPECT_EQ(Pause().code(), Code::kFailedPrecondition);
  EXPECT_THAT(types, ElementsAre("Received"));
  Kill();
  EXPECT_FALSE(Pause().ok());
}

TEST_F(RunnerPauseTest, TheRecordKeepsThePause) {
  Start();
  ASSERT_TRUE(Pause().ok());
  const auto kept = DecodeTaskState(EncodeTaskState(*state()));
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(kept->paused);
  Kill();
  EXPECT_FALSE(DecodeTaskState(EncodeTaskState(*state()))->paused);
}

TEST_F(RunnerPauseTest, ThePauseThatADriverHasLostIsNotShown) {
  Start();
  ASSERT_TRUE(Pause().ok());
  Shutdown();
  const auto local = DecodeLocalState(EncodeLocalState(*store.saved.back()));
  ASSERT_TRUE(local.ok());
  for (const bool lost : {false, true}) {
    if (lost) ASSERT_TRUE(Ask(driver.Pause(Context(&loop), *local->run_id, false)).ok());
    options.restored = TaskRecords{*state(), *local};
    runner = nullptr;
    over = false;
    Start();
    EXPECT_EQ(state()->paused, !lost);
    if (!lost) Shutdown();
  }
  EXPECT_THAT(types, Contains("Resumed"));
  Kill();
}

// The agent has died after the driver's answer, but before it recorded the pause.
TEST_F(RunnerPauseTest, APauseThatNobodyRecordedIsFound) {
  driver.the_info.can_pause = true;
  Start();
  Shutdown();
  const auto local = DecodeLocalState(EncodeLocalState(*store.saved.back()));
  ASSERT_TRUE(local.ok());
  ASSERT_TRUE(Ask(driver.Pause(Context(&loop), *local->run_id, true)).ok());
  options.restored = TaskRecords{*state(), *local};
  runner = nullptr;
  over = false;
  Start();
  EXPECT_TRUE(state()->paused);
  EXPECT_THAT(types, Contains("Paused"));
  Kill();
  EXPECT_THAT(driver.calls(), Contains("resume web"));
}

}  // namespace
}  // namespace drover
