// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/task/runner_fixture.h"

// The agent dies in the middle of a kill or a restart, and the next one continues it.
namespace drover {
namespace {

struct RunnerResumeTest : RunnerTest {
  // The agent dies now, and the next one starts after DOWN.
  void Die(Duration down) {
    const TaskRecords kept{*state(), *store.saved.back()};
    Shutdown();
    runner = nullptr;
    over = shut_down = false;
    types.clear();
    loop.Advance(down);
    hook = AddHook("identity");
    options.restored = kept;
    Start();
  }
  long Count(const std::string& type) { return std::count(types.begin(), types.end(), type); }

  void TearDown() override {
    hook = nullptr;
    RunnerTest::TearDown();
  }

  std::shared_ptr<ScriptedHook> hook;
};

TEST_F(RunnerResumeTest, AShutdownDelayGoesOnWithItsRest) {
  task().shutdown_delay = 10s;
  hook = AddHook("identity");
  Start();
  Kill();
  for (int agent = 0; agent < 3; ++agent) {
    loop.Advance(1s);
    EXPECT_EQ(driver.Count("stop"), 0);
    Die(2s);
  }
  // The allocation requests the kill in each life of the agent.
  runner->StartKill(runner->MakeKillingEvent());
  loop.Advance(999ms);
  EXPECT_EQ(driver.Count("stop"), 0);
  EXPECT_EQ(phase(), RunnerState::kPending);
  loop.Advance(1ms);
  EXPECT_EQ(driver.calls().back(), "destroy web force");
  EXPECT_EQ(driver.Count("stop web 5s"), 1);
  EXPECT_EQ(Count("Killing"), 1);
  EXPECT_EQ(Count("Waiting for shutdown delay"), 1);
  EXPECT_EQ(types.back(), "Killed");
  EXPECT_EQ(std::count(hook_log.begin(), hook_log.end(), "identity pre-kill"), 1);
  EXPECT_TRUE(over);
}

TEST_F(RunnerResumeTest, AShutdownDelayThatIsOverMeanwhileLeavesTheWholeKillTimeout) {
  task().shutdown_delay = 10s;
  Start();
  Kill();
  Die(1h);
  EXPECT_EQ(driver.Count("stop web 5s"), 1) << "the task was not asked before";
  EXPECT_TRUE(over);
}

TEST_F(RunnerResumeTest, AShutdownDelayIsCutShortBetweenTwoAgents) {
  task().shutdown_delay = 1h;
  Start();
  Kill();
  auto cut = std::make_shared<Allocation>(*alloc);
  cut->no_shutdown_delay = true;
  alloc = cut;
  Die(1s);
  EXPECT_TRUE(over);
  EXPECT_EQ(Count("Waiting for shutdown delay"), 1);
  EXPECT_EQ(Count("Skipping shutdown delay"), 0);
}

TEST_F(RunnerResumeTest, AKillGoesOnWithTheRestOfItsTimeout) {
  for (const bool delayed : {false, true}) {
    for (const Duration down : {3s, 3600s}) {
      runner = nullptr;
      over = false;
      task().shutdown_delay = delayed ? 2s : 0s;
      task().kill_timeout = 10s;
      script().stop_hangs = true;  // so the host kills, by its own timer
      Start();
      Kill();
      loop.Advance(4s + task().shutdown_delay);
      const int asked = driver.Count("stop");
      const int prekills = static_cast<int>(hook_log.size());
      const TimePoint begin = loop.Now() - 4s;
      Die(down);
      EXPECT_EQ(driver.Count("stop"), asked + 1);
      EXPECT_TRUE(loop.RunUntil([this] { return over; }));
      const Duration took = std::max<Duration>(10s, 4s + down);
      EXPECT_GE(driver.ended_at("web").value_or(begin) - begin, took);
      EXPECT_LE(driver.ended_at("web").value_or(begin) - begin, took + 100ms);
      EXPECT_EQ(std::count(hook_log.begin() + prekills, hook_log.end(), "identity pre-kill"), 0);
      EXPECT_FALSE(state()->failed);
    }
  }
}

TEST_F(RunnerResumeTest, ARestartGoesOnWithTheRestOfItsKillTimeout) {
  task().kill_timeout = 10s;
  script().ignores_signal = true;
  Start();
  runner->RequestRestart(TaskEvent(event_type::kRestartSignaled), false);
  loop.Advance(4s);
  EXPECT_EQ(driver.Count("stop web 10s"), 1);
  Die(3s);
  EXPECT_EQ(driver.Count("stop web 3s"), 1);
  loop.Advance(3s);
  EXPECT_EQ(driver.Count("start"), 2);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  // For the next run, the kill timeout starts anew.
  EXPECT_FALSE(runner->local_state().stop_since);
  Kill();
  EXPECT_EQ(driver.Count("stop web 10s"), 2);
  EXPECT_TRUE(loop.RunUntil([this] { return over; }));
}

TEST_F(RunnerResumeTest, AKillThatWasInItsHooksBeginsAgain) {
  task().shutdown_delay = 10s;
  hook = AddHook("identity");
  hook->On(HookStage::kPrekill).way = ScriptedHook::Way::kHang;
  Start();
  Kill();
  Die(1s);
  EXPECT_EQ(hook->On(HookStage::kPrekill).calls, 1);
  EXPECT_EQ(driver.Count("stop"), 0);
  loop.Advance(10s);
  EXPECT_EQ(driver.Count("stop web 5s"), 1);
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace drover
