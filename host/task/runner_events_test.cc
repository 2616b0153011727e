// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/listener_list.h"
#include "host/process/mock_processes_for_test.h"
#include "host/task/runner_fixture.h"

// The order of the events and states of a task, from its start to its end.
namespace drover {
namespace {

using testing::ElementsAre;
using testing::NiceMock;

struct RunnerEventsTest : RunnerTest {};

TEST_F(RunnerEventsTest, RunAndExitWell) {
  job().type = JobType::kBatch;
  script().run_for = 3s;
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  const WallTime started = loop.Wall();
  loop.Advance(3s);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated"));
  EXPECT_THAT(states, ElementsAre("running", "dead"));
  EXPECT_EQ(state()->started_at, started);
  EXPECT_EQ(state()->finished_at, loop.Wall());
  EXPECT_FALSE(state()->failed);
  EXPECT_FALSE(over) << "a dead task waits for a restart of the allocation";
  Finish();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated"));
  EXPECT_TRUE(runner->local_state().run_complete);
}

TEST_F(RunnerEventsTest, FailWithoutAttempts) {
  script().run_for = 0s;
  script().exit.exit_code = 1;
  Start();
  loop.Advance(1s);
  EXPECT_THAT(types,
              ElementsAre("Received", "Task Setup", "Started", "Terminated", "Not Restarting"));
  EXPECT_TRUE(state()->failed);
  EXPECT_EQ(DisplayMessage(state()->events.back()), "Policy allows no restarts");
  EXPECT_EQ(DisplayMessage(state()->events[3]), "Exit Code: 1");
  Finish();
}

TEST_F(RunnerEventsTest, StopWhileRunning) {
  task().kill_timeout = 7s;
  script().stop_delay = 2s;
  Start();
  Kill();
  EXPECT_FALSE(kill_status);
  loop.Advance(2s);
  EXPECT_THAT(types,
              ElementsAre("Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"));
  EXPECT_THAT(states, ElementsAre("running", "dead"));
  EXPECT_EQ(state()->events[3]->Detail(event_key::kKillTimeout), "7s");
  EXPECT_FALSE(state()->failed);
  ASSERT_TRUE(kill_status);
  EXPECT_TRUE(kill_status->ok());
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "stop web 7s", "destroy web force"));
}

TEST_F(RunnerEventsTest, RecoverableStartError) {
  policy().attempts = 1;
  script().start_error = Error(Code::kInternal, "no such image", true);
  Start();
  EXPECT_EQ(phase(), RunnerState::kPending);
  loop.Advance(10s);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Driver Failure", "Restarting",
                                 "Driver Failure", "Not Restarting"));
  EXPECT_EQ(DisplayMessage(state()->events[2]), "no such image");
  EXPECT_EQ(driver.Count("start"), 2);
  EXPECT_EQ(driver.Count("destroy web force"), 2) << "a failed start leaves nothing";
  EXPECT_EQ(state()->restarts, 1u);
  EXPECT_EQ(state()->started_at, 0);
  EXPECT_NE(state()->finished_at, 0);
  Finish();
}

TEST_F(RunnerEventsTest, UnrecoverableStartError) {
  policy().attempts = 5;
  script().start_error = Error(Code::kInvalidArgument, "bad");
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Driver Failure", "Not Restarting"));
  EXPECT_EQ(DisplayMessage(state()->events.back()), "Error was unrecoverable");
  Finish();
}

TEST_F(RunnerEventsTest, PrestartHookThatFails) {
  policy().attempts = 1;
  const auto artifacts = AddHook("artifacts");
  artifacts->On(HookStage::kPrestart).way = ScriptedHook::Way::kFail;
  artifacts->On(HookStage::kPrestart).error = Error(Code::kInternal, "404", true);
  Start();
  loop.Advance(10s);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Task hook failed", "Restarting",
                                 "Task hook failed", "Not Restarting"));
  EXPECT_EQ(DisplayMessage(state()->events[2]), "artifacts: 404");
  EXPECT_EQ(driver.Count("start"), 0);
  Finish();
}

TEST_F(RunnerEventsTest, ValidationFails) {
  policy().attempts = 3;
  driver.normalize_error = Error(Code::kInvalidArgument, "/command: missing", true);
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Failed Validation", "Not Restarting"));
  EXPECT_EQ(DisplayMessage(state()->events[2]), "/command: missing");
  Finish();
}

TEST_F(RunnerEventsTest, InterpolationFails) {
  preparer.error = Error(Code::kInvalidArgument, "unknown variable \"x\"");
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Failed Validation", "Not Restarting"));
  Finish();
}

TEST_F(RunnerEventsTest, RestartAfterFailuresWithinThePolicy) {
  policy().attempts = 2;
  script().run_for = 1s;
  script().exit.exit_code = 7;
  Start();
  loop.Advance(1min);
  EXPECT_THAT(
      types, ElementsAre("Received", "Task Setup", "Started", "Terminated", "Restarting", "Started",
                         "Terminated", "Restarting", "Started", "Terminated", "Not Restarting"));
  EXPECT_THAT(states, ElementsAre("running", "pending", "running", "pending", "running", "dead"));
  EXPECT_EQ(state()->restarts, 2u);
  EXPECT_EQ(state()->events.size(), 10u);
  EXPECT_EQ(driver.Count("start"), 3);
  EXPECT_EQ(builder.built, 3) << "the directory is made before each start";
  EXPECT_EQ(builder.made_logs, 1)
      << "log files only the first time: file 0 may have been rotated away by now";
  Finish();
}

TEST_F(RunnerEventsTest, EveryStartHasItsOwnRunAndId) {
  policy().attempts = 1;
  script().run_for = 1s;
  Start();
  const auto first = driver.last_config("web");
  loop.Advance(11s);
  const auto second = driver.last_config("web");
  EXPECT_NE(first->run_id, second->run_id);
  EXPECT_NE(first->id, second->id);
  const std::string prefix = alloc->id + "/web/";
  for (const auto& config : {first, second}) {
    EXPECT_EQ(config->id.substr(0, prefix.size()), prefix);
    EXPECT_EQ(config->id.size(), prefix.size() + 8);
  }
  loop.Advance(1min);
  Finish();
}

TEST_F(RunnerEventsTest, CheckRestartCountsAgainstThePolicy) {
  policy().attempts = 1;
  Start();
  EXPECT_TRUE(Restart(true).ok());
  loop.Advance(10s);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_TRUE(Restart(true).ok());
  loop.Advance(10s);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Restart Signaled",
                                 "Terminated", "Restarting", "Started", "Restart Signaled",
                                 "Terminated", "Not Restarting"));
  Finish();
}

TEST_F(RunnerEventsTest, RestartByUserDoesNotCount) {
  Start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Restart().ok());
    loop.RunReady();
    EXPECT_EQ(phase(), RunnerState::kRunning);
  }
  types.resize(7);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Restart Signaled",
                                 "Terminated", "Restarting", "Started"));
  EXPECT_EQ(state()->restarts, 3u);
  Kill();
}

TEST_F(RunnerEventsTest, KilledBeforeTheGateOpens) {
  gate.open.Reset();
  Start();
  EXPECT_EQ(gate.asked, 1);
  EXPECT_EQ(builder.built, 0);
  Kill();
  EXPECT_THAT(types, ElementsAre("Received", "Killing"));
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_NE(state()->finished_at, 0);
  EXPECT_EQ(state()->started_at, 0);
  EXPECT_TRUE(driver.calls().empty());
}

TEST_F(RunnerEventsTest, KilledInPrestart) {
  policy().attempts = 3;
  const auto hook = AddHook("artifacts");
  hook->On(HookStage::kPrestart).way = ScriptedHook::Way::kHang;
  Start();
  Kill();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Killing"));
  EXPECT_THAT(states, ElementsAre("dead"));
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(hook->On(HookStage::kStop).calls, 1);
}

TEST_F(RunnerEventsTest, KilledInStart) {
  script().start_blocks = true;
  Start();
  EXPECT_EQ(driver.open_calls(), 1);
  Kill();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Killing"));
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "destroy web force"));
}

TEST_F(RunnerEventsTest, KilledInTheRestartDelay) {
  policy().attempts = 3;
  script().run_for = 1s;
  Start();
  loop.Advance(5s);
  EXPECT_EQ(phase(), RunnerState::kPending);
  Kill();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated", "Restarting",
                                 "Killing"));
  EXPECT_EQ(driver.Count("start"), 1);
}

TEST_F(RunnerEventsTest, KilledInPoststart) {
  const auto hook = AddHook("services");
  hook->On(HookStage::kPoststart).way = ScriptedHook::Way::kHang;
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
  EXPECT_THAT(types,
              ElementsAre("Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"));
}

TEST_F(RunnerEventsTest, OneShotThatIsDeadAlreadyGetsNoKilling) {
  job().type = JobType::kBatch;
  script().run_for = 1s;
  Start();
  loop.Advance(1s);
  Kill();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated"));
  EXPECT_TRUE(kill_status->ok());
}

TEST_F(RunnerEventsTest, ShutdownDelayIsWaitedFor) {
  task().shutdown_delay = 4s;
  Start();
  Kill();
  EXPECT_EQ(phase(), RunnerState::kPending);
  EXPECT_EQ(DisplayMessage(state()->events.back()),
            "Waiting for shutdown_delay of 4s before killing the task.");
  loop.Advance(3999ms);
  EXPECT_EQ(driver.Count("stop"), 0);
  loop.Advance(1ms);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Killing",
                                 "Waiting for shutdown delay", "Terminated", "Killed"));
  EXPECT_THAT(states, ElementsAre("running", "pending", "dead"));
}

// An earlier agent without that bound may have kept such a job.
TEST_F(RunnerEventsTest, TheLongestShutdownDelayIsWaitedFor) {
  task().shutdown_delay = Duration::max();
  Start();
  Kill();
  loop.Advance(std::chrono::hours(24 * 365));
  EXPECT_EQ(driver.Count("stop"), 0);
  EXPECT_EQ(phase(), RunnerState::kPending);
  driver.End("web", ExitResult{});
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kDead);
}

TEST_F(RunnerEventsTest, ExitInTheShutdownDelayEndsIt) {
  task().shutdown_delay = 1h;
  policy().attempts = 3;
  Start();
  Kill();
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.RunReady();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Killing",
                                 "Waiting for shutdown delay", "Terminated", "Killed"));
  EXPECT_EQ(driver.Count("stop"), 0);
}

TEST_F(RunnerEventsTest, ShutdownDelayCanBeSkipped) {
  for (const bool before : {true, false}) {
    Context no_delay(&loop);
    options.no_shutdown_delay = no_delay;
    task().shutdown_delay = 1h;
    types.clear();
    runner = nullptr;
    over = false;
    Start();
    if (before) no_delay.Cancel();
    Kill();
    if (!before) no_delay.Cancel();
    loop.RunReady();
    EXPECT_THAT(types,
                ElementsAre("Received", "Task Setup", "Started", "Killing",
                            before ? "Skipping shutdown delay" : "Waiting for shutdown delay",
                            "Terminated", "Killed"));
    EXPECT_TRUE(over);
  }
}

TEST_F(RunnerEventsTest, DriverEventsAreReportedAndCleaned) {
  Start();
  driver.Emit("web", "pulling\x1b[1m", {{"layer", "3"}});
  EXPECT_EQ(types.back(), "Driver");
  EXPECT_EQ(DisplayMessage(state()->events.back()), "pulling\\x1b[1m");
  EXPECT_EQ(state()->events.back()->Detail("layer"), "3");
  Kill();
  driver.Emit("web", "late");
  EXPECT_EQ(types.back(), "Killed");
}

// Plays the process service, which reports the dropped output of the newest run.
class DroppedOutputTest : public RunnerTest {
 protected:
  DroppedOutputTest() {
    services.processes = &processes;
    ON_CALL(processes, OnDroppedOutput)
        .WillByDefault([this](RunId, std::function<void(const DroppedOutput&)> hear) {
          return hearers.Add(std::move(hear));
        });
  }
  void Drop(DroppedOutput dropped) {
    hearers.Call(dropped);
    loop.RunReady();
  }
  // The line counts of the events, in order; -1 for an event without a count.
  std::vector<int> Reported() const {
    std::vector<int> reported;
    for (const TaskEvent& event : state()->events) {
      if (event.type != event_type::kOutputDropped) continue;
      const int lines = std::stoi(std::string(event.Detail(event_key::kDroppedLines)));
      reported.push_back(lines == 0 ? -1 : lines);
    }
    return reported;
  }
  ListenerList<const DroppedOutput&> hearers;
  NiceMock<MockProcesses> processes;
};

TEST_F(DroppedOutputTest, IsReportedAtOnceAndThenLessAndLessOften) {
  Start();
  Drop({true, 0, 0});
  EXPECT_EQ(Reported(), (std::vector<int>{-1})) << "the disk is still full";
  Drop({false, 5, 50});
  EXPECT_EQ(Reported(), (std::vector<int>{-1}));
  loop.Advance(1s);
  EXPECT_EQ(Reported(), (std::vector<int>{-1, 5}));
  // For an hour, the disk accepts a little every second.
  for (unsigned i = 1; i <= 3600; ++i) {
    Drop({true, 5 * i, 50 * i});
    Drop({false, 5 * i + 5, 50 * i + 50});
    loop.Advance(1s);
  }
  EXPECT_EQ(Reported(), (std::vector<int>{-1, 5, 25, 105, 425, 1705, 6825}));
  Kill();
  EXPECT_EQ(Reported().back(), 18005);
  EXPECT_EQ(types[types.size() - 3], "Output Dropped") << "before the end of the task";
  EXPECT_TRUE(hearers.empty());
}

TEST_F(DroppedOutputTest, WhatIsCountedAtTheEndIsReportedBeforeIt) {
  script().run_for = 1h;
  Start();
  loop.Advance(1h - 1ms);
  Drop({true, 0, 0});
  Drop({false, 7, 70});
  loop.Advance(1ms);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Output Dropped",
                                 "Output Dropped", "Terminated", "Not Restarting"));
  EXPECT_EQ(Reported(), (std::vector<int>{-1, 7}));
  Finish();
}

TEST_F(DroppedOutputTest, NothingIsReportedTwiceNorOfAnEarlierRun) {
  script().run_for = 1h;
  policy().attempts = 1;
  Start();
  Drop({false, 7, 70});
  loop.Advance(1h);
  EXPECT_EQ(Reported(), (std::vector<int>{7}));
  loop.Advance(10s);
  EXPECT_EQ(types.back(), "Started");
  Drop({false, 7, 70});
  EXPECT_EQ(Reported(), (std::vector<int>{7, 7})) << "the new run has its own count";
  Kill();
  EXPECT_EQ(Reported(), (std::vector<int>{7, 7}));
}

TEST_F(RunnerEventsTest, HealthOfTheDriverIsReportedWhileTheTaskRuns) {
  Start();
  driver.SetHealth(Health::kUnhealthy, "crashed");
  EXPECT_EQ(types.back(), "Plugin became unhealthy");
  EXPECT_EQ(DisplayMessage(state()->events.back()), "Driver \"fake\" became unhealthy: crashed");
  driver.SetHealth(Health::kUnhealthy, "still");
  driver.SetHealth(Health::kHealthy);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Plugin became unhealthy",
                                 "Plugin became healthy"));
  Kill();
  driver.SetHealth(Health::kUnhealthy);
  EXPECT_EQ(types.back(), "Killed");
}

TEST_F(RunnerEventsTest, SetUpOfTheAllocationFailed) {
  Create();
  runner->MarkFailedKill("failed to setup alloc: pre-run hook \"network\" failed: no");
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Setup Failure"));
  EXPECT_TRUE(state()->failed);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(DisplayMessage(state()->events.back()),
            "failed to setup alloc: pre-run hook \"network\" failed: no");
  EXPECT_EQ(state()->events.back()->Detail(event_key::kKillReason), "Failed Restoring Task");
  EXPECT_EQ(driver.Count("start"), 0);
}

TEST_F(RunnerEventsTest, PoststopTaskRunsInAStoppedAllocationAndEndsByItself) {
  task().lifecycle = Lifecycle{Lifecycle::Hook::kPoststop, false};
  alloc->desired_status = DesiredStatus::kStop;
  script().run_for = 1s;
  Start();
  loop.Advance(1s);
  EXPECT_TRUE(over);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated"));
}

TEST_F(RunnerEventsTest, OtherTasksDoNotStartInAStoppedAllocation) {
  alloc->desired_status = DesiredStatus::kStop;
  Start();
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(driver.Count("start"), 0);
  Finish();
}

TEST_F(RunnerEventsTest, ALostPluginIsRetriedOnceInStart) {
  FakeDriver::Script gone;
  gone.start_error = Error(Code::kUnavailable, "the plugin is gone");
  driver.Next("web", gone);
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "destroy web force", "start web"));
  Kill();
}

TEST_F(RunnerEventsTest, AnUnknownDriverIsADriverFailure) {
  policy().attempts = 3;
  registry.Remove("fake");
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Driver Failure", "Not Restarting"));
  Finish();
}

TEST_F(RunnerEventsTest, AStartThatTakesTooLongIsGivenUp) {
  policy().attempts = 1;
  services.start_timeout = 1min;
  script().start_blocks = true;
  Start();
  loop.Advance(1min);
  EXPECT_EQ(types.back(), "Restarting");
  EXPECT_EQ(DisplayMessage(state()->events[2]),
            "driver \"fake\" has not started the task within 1m0s");
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "destroy web force"));
  Kill();
}

// A driver that pulls images may need the long limit that the operator configures.
TEST_F(RunnerEventsTest, AStartMayTakeAsLongAsItsDriverLetsIt) {
  policy().attempts = 1;
  driver.own_limit = 1h;
  script().start_blocks = true;
  Start();
  loop.Advance(1h);
  EXPECT_THAT(driver.calls(), ElementsAre("start web"));
  loop.Advance(services.driver_timeout);
  EXPECT_EQ(types.back(), "Restarting");
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "destroy web force"));
  Kill();
}

}  // namespace
}  // namespace drover
