// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/runner_fixture.h"

// The kill of a task: the timer is the host's, whatever the driver does.
namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RunnerKillTest : RunnerTest {
  // Kills the task and returns the time until its run ended.
  Duration DeadAfter() {
    const TimePoint start = loop.Now();
    Kill();
    EXPECT_TRUE(loop.RunUntil([this] { return driver.ended_at("web").has_value(); }));
    return driver.ended_at("web").value_or(start) - start;
  }
  void WaitOver() {
    EXPECT_TRUE(loop.RunUntil([this] { return over; }));
  }
};

TEST_F(RunnerKillTest, TheDriverIsAskedWithTheTasksSignalAndTimeout) {
  task().kill_timeout = 12s;
  task().kill_signal = "SIGQUIT";
  Start();
  Kill();
  EXPECT_THAT(driver.calls(),
              ElementsAre("start web", "stop web 12s SIGQUIT", "destroy web force"));
}

TEST_F(RunnerKillTest, TheTimeoutIsLimitedByTheAgent) {
  task().kill_timeout = 1h;
  services.max_kill_timeout = 20s;
  Start();
  EXPECT_EQ(runner->MakeKillingEvent().Detail(event_key::kKillTimeout), "20s");
  Kill();
  EXPECT_THAT(driver.calls()[1], "stop web 20s");
}

TEST_F(RunnerKillTest, ADriverThatKillsInTimeIsNotHelped) {
  script().ignores_signal = true;
  Start();
  EXPECT_EQ(DeadAfter(), 5s);
  WaitOver();
  EXPECT_EQ(driver.Count("force_kill"), 0);
  EXPECT_EQ(DisplayMessage(state()->events[4]), "Exit Code: 137, Signal: 9");
}

TEST_F(RunnerKillTest, AStopThatHangsIsNotWaitedFor) {
  script().stop_hangs = true;
  Start();
  const Duration after = DeadAfter();
  EXPECT_GE(after, 5s);
  EXPECT_LE(after, 5100ms);
  WaitOver();
  EXPECT_TRUE(kill_status->ok());
  EXPECT_EQ(driver.Count("force_kill"), 1);
  EXPECT_EQ(driver.Count("destroy web force"), 1);
  EXPECT_EQ(types.back(), "Killed");
}

TEST_F(RunnerKillTest, AnUnhealthyDriverIsNotWaitedFor) {
  for (const bool before : {true, false}) {
    driver.SetHealth(Health::kHealthy);
    runner = nullptr;
    over = false;
    script().stop_hangs = true;
    Start();
    if (before) driver.SetHealth(Health::kUnhealthy, "hangs");
    const TimePoint start = loop.Now();
    Kill();
    if (!before) {
      loop.Advance(1s);
      driver.SetHealth(Health::kUnhealthy, "hangs");
    }
    EXPECT_TRUE(loop.RunUntil([this] { return driver.ended_at("web").has_value(); }));
    const Duration after = *driver.ended_at("web") - start;
    EXPECT_LE(after, before ? 100ms : 1100ms);
    WaitOver();
    EXPECT_TRUE(kill_status->ok());
  }
}

TEST_F(RunnerKillTest, StopErrorsAreRetriedAndTheHostKillsMeanwhile) {
  script().stop_error = Error(Code::kInternal, "socket closed");
  Start();
  EXPECT_EQ(DeadAfter(), 5s + 50ms);
  WaitOver();
  EXPECT_TRUE(kill_status->ok()) << "only the death of the task counts";
  EXPECT_EQ(driver.Count("stop"), 2);
}

TEST_F(RunnerKillTest, RetriesOfTheStopAreSpacedOut) {
  task().kill_timeout = 5s;
  script().stop_error = Error(Code::kInternal, "socket closed");
  script().force_kill_error = Error(Code::kNotFound, "no processes of ours");
  Start();
  Kill();
  std::vector<int> counts;
  for (const Duration step : {0s, 5s, 20s, 80s, 120s, 120s}) {
    loop.Advance(step);
    counts.push_back(driver.Count("stop"));
  }
  EXPECT_THAT(counts, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_FALSE(over);
  loop.Advance(5s);
  EXPECT_TRUE(over);
  ASSERT_TRUE(kill_status);
  EXPECT_THAT(kill_status->error().message(), HasSubstr("socket closed"));
  EXPECT_THAT(kill_status->error().message(), HasSubstr("no processes of ours"));
  EXPECT_EQ(types.back(), "Killed");
  EXPECT_THAT(DisplayMessage(state()->events.back()), HasSubstr("failed to kill task"));
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(driver.Count("destroy web force"), 1);
}

TEST_F(RunnerKillTest, AnErrorThatGoesAwayIsForgotten) {
  task().kill_timeout = 20s;
  script().stop_error = Error(Code::kInternal, "busy");
  script().stop_errors = 1;
  Start();
  EXPECT_EQ(DeadAfter(), 5s);
  WaitOver();
  EXPECT_TRUE(kill_status->ok());
  EXPECT_THAT(driver.calls(),
              ElementsAre("start web", "stop web 20s", "stop web 15s", "destroy web force"));
}

TEST_F(RunnerKillTest, ATaskThatTheDriverDoesNotKnowHasBeenStopped) {
  script().stop_error = Error(Code::kNotFound, "task not found for given id");
  Start();
  Kill();
  WaitOver();
  EXPECT_TRUE(kill_status->ok());
  EXPECT_EQ(driver.Count("stop"), 1);
}

TEST_F(RunnerKillTest, ADriverThatNeverReportsTheEndIsGivenUp) {
  script().exit_unnoticed = true;
  Start();
  const TimePoint start = loop.Now();
  Kill();
  WaitOver();
  EXPECT_LE(loop.Now() - start, 11s);
  EXPECT_FALSE(kill_status->ok());
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "stop web 5s", "force_kill web",
                                          "force_kill web", "destroy web force"));
}

TEST_F(RunnerKillTest, PrekillHooksComeFirstAndAreNotCutShortByTheKill) {
  const auto hook = AddHook("services");
  hook->On(HookStage::kPrekill).way = ScriptedHook::Way::kHang;
  Start();
  Kill();
  EXPECT_FALSE(hook->On(HookStage::kPrekill).context->cancelled());
  EXPECT_EQ(driver.Count("stop"), 0);
  loop.Advance(1min);
  EXPECT_EQ(driver.Count("stop"), 1) << "the deadline of the hook has passed";
  EXPECT_THAT(hook_log, ElementsAre("services prestart", "services poststart", "services pre-kill",
                                    "services exited", "services stop"));
}

TEST_F(RunnerKillTest, ManyKillsAreOne) {
  script().stop_delay = 2s;
  Start();
  std::vector<std::optional<Status>> answers(5);
  auto kill = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await on->Kill(on->MakeKillingEvent());
    out->emplace(status);
  };
  for (auto& answer : answers) loop.Spawn(kill(runner, &answer));
  WaitOver();
  loop.RunReady();
  for (const auto& answer : answers) EXPECT_TRUE(answer && answer->ok());
  EXPECT_EQ(driver.Count("stop"), 1);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Killing"), 1);
}

TEST_F(RunnerKillTest, KillDuringARestartWaitsForTheSameStop) {
  task().kill_timeout = 10s;
  script().stop_delay = 3s;
  Start();
  std::optional<Status> restarted;
  auto restart = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await on->Restart(TaskEvent(event_type::kRestartSignaled), false);
    out->emplace(status);
  };
  loop.Spawn(restart(runner, &restarted));
  loop.Advance(1s);
  Kill();
  WaitOver();
  loop.RunReady();
  ASSERT_TRUE(restarted);
  EXPECT_TRUE(restarted->ok());
  EXPECT_EQ(driver.Count("stop"), 1);
  EXPECT_EQ(driver.Count("start"), 1);
  EXPECT_EQ(types.back(), "Killed");
}

TEST_F(RunnerKillTest, AnEndWithoutKillGetsDestroyedOnce) {
  policy().attempts = 1;
  Start();
  driver.End("web", ExitResult{});
  loop.RunReady();
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "destroy web force"));
  Kill();
}

TEST_F(RunnerKillTest, ADestroyThatHangsDoesNotHoldTheTask) {
  std::vector<RunId> late;
  services.release_later = [&late](RunId run) { late.push_back(run); };
  script().destroy_blocks = true;
  services.driver_timeout = 3s;
  Start();
  const RunId started = *runner->local_state().run_id;
  Kill();
  loop.Advance(3s);
  EXPECT_TRUE(over);
  EXPECT_THAT(late, ElementsAre(started)) << "it is tried again";
  EXPECT_THAT(reports, ElementsAre(HasSubstr("was not destroyed")));
  runs_left = 1;
}

TEST_F(RunnerKillTest, ADestroyMayTakeAsLongAsItsDriverLetsIt) {
  driver.own_limit = 1min;
  script().destroy_blocks = true;
  services.driver_timeout = 3s;
  Start();
  Kill();
  loop.Advance(1min + 2s);
  EXPECT_FALSE(over);
  loop.Advance(1s);
  EXPECT_TRUE(over);
  runs_left = 1;
}

// The driver has forgotten the run, but its processes live on.
TEST_F(RunnerKillTest, ARunThatTheHostCannotReleaseIsReleasedLater) {
  std::vector<RunId> late;
  services.release_later = [&late](RunId run) { late.push_back(run); };
  script().release_error = Error(Code::kUnavailable, "its processes do not die", true);
  Start();
  const RunId started = *runner->local_state().run_id;
  Kill();
  loop.RunReady();
  EXPECT_TRUE(over);
  EXPECT_THAT(late, ElementsAre(started));
  EXPECT_THAT(reports, ElementsAre(HasSubstr("its processes do not die")));
}

TEST_F(RunnerKillTest, ATaskThatIsGoneFromItsGroupIsKilled) {
  Start();
  auto updated = std::make_shared<Allocation>(*alloc);
  auto changed = std::make_shared<Job>(job());
  changed->groups[0].tasks[0].name = "other";
  updated->job = changed;
  runner->Update(updated);
  loop.RunReady();
  EXPECT_TRUE(over);
  EXPECT_THAT(types,
              ElementsAre("Received", "Task Setup", "Started", "Killed", "Terminated", "Killed"));
  EXPECT_TRUE(state()->failed);
  EXPECT_EQ(state()->events[3]->Detail(event_key::kKillReason), "update missing task");
}

}  // namespace
}  // namespace drover
