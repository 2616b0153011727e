// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/runner_fixture.h"

// Requests from outside to a task, and what a task does when its plugin goes away.
namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TaskEvent Asked() { return TaskEvent(event_type::kRestartSignaled); }

struct RunnerControlTest : RunnerTest {
  Status ForceRestart(bool failure = false) { return Ask(runner->ForceRestart(Asked(), failure)); }
  Status Signal() { return Ask(runner->Signal(TaskEvent(event_type::kSignaling), "SIGHUP")); }
  static Co<Status> DoExec(std::shared_ptr<TaskRunner> runner, Context context,
                           std::string command = "ls", bool interpolate = false) {
    ExecRequest request;
    request.command = {std::move(command)};
    request.interpolate = interpolate;
    auto session = co_await runner->Exec(context, std::move(request));
    if (!session.ok()) co_return session.error();
    co_return Status();
  }
  Status Exec() { return Ask(DoExec(runner, Context(&loop))); }
};

TEST_F(RunnerControlTest, TaskThatIsNotInTheAllocation) {
  options.alloc = alloc;
  options.task_name = "db";
  const auto made = TaskRunner::Create(&loop, options);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.code(), Code::kInvalidArgument);
  EXPECT_THAT(made.error().message(), HasSubstr("no task \"db\""));
}

TEST_F(RunnerControlTest, RestartOfATaskThatDoesNotRun) {
  gate.open.Reset();
  Start();
  for (const bool force : {true, false}) {
    const Status status = force ? ForceRestart() : Restart();
    EXPECT_EQ(status.code(), Code::kFailedPrecondition);
    EXPECT_EQ(status.error().message(), "Task not running");
  }
  EXPECT_THAT(types, ElementsAre("Received")) << "no event without an effect";
  Kill();
  EXPECT_FALSE(Restart().ok());
  EXPECT_FALSE(ForceRestart().ok());
}

TEST_F(RunnerControlTest, RestartRunsThePrekillHooksAndStopsTheTask) {
  AddHook("services");
  script().stop_delay = 2s;
  Start();
  const TimePoint start = loop.Now();
  EXPECT_TRUE(Restart().ok());
  EXPECT_EQ(loop.Now() - start, 2s);
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_THAT(driver.calls(),
              ElementsAre("start web", "stop web 5s", "destroy web force", "start web"));
  EXPECT_THAT(hook_log, ElementsAre("services prestart", "services poststart", "services pre-kill",
                                    "services exited", "services prestart", "services poststart"));
  Kill();
  loop.Advance(2s);
}

TEST_F(RunnerControlTest, WhatHooksGiveReachesTheDriverAtEachStart) {
  const auto volumes = AddHook("volumes");
  volumes->response.mounts = {{"/data", "/srv/volume", true, "host-to-task"}};
  const auto devices = AddHook("devices");
  devices->response.devices = {{"/dev/card", "/dev/dri/card0", "rw"}};
  Start();
  for (const char* start : {"first", "second"}) {
    SCOPED_TRACE(start);
    const auto config = driver.last_config("web");
    ASSERT_NE(config, nullptr);
    EXPECT_EQ(config->mounts, volumes->response.mounts);
    EXPECT_EQ(config->devices, devices->response.devices);
    volumes->response.mounts[0].host_path = "/srv/other";
    EXPECT_TRUE(Restart().ok());
    loop.RunReady();
  }
  Kill();
}

TEST_F(RunnerControlTest, AHookStoresWhatItLearnsWhileTheTaskRuns) {
  const auto hook = AddHook("hook");
  Start();
  const std::size_t before = store.saved.size();
  TaskControl* const control = runner.get();
  EXPECT_TRUE(Ask(control->SaveHookData("hook", {{"a", "1"}})).ok());
  ASSERT_EQ(store.saved.size(), before + 1);
  EXPECT_EQ(store.saved.back()->hooks.at("hook").data.at("a"), "1");
  EXPECT_TRUE(Ask(control->SaveHookData("hook", {{"a", "1"}})).ok());
  EXPECT_EQ(store.saved.size(), before + 1) << "it is stored already";
  hook->response.data = {{"a", "2"}};
  EXPECT_TRUE(Restart().ok());
  loop.RunReady();
  EXPECT_EQ(hook->seen_data.at("a"), "1");
  EXPECT_EQ(store.saved.back()->hooks.at("hook").data.at("a"), "2");
  Kill();
}

TEST_F(RunnerControlTest, RestartsAtTheSameTimeAreOne) {
  script().stop_delay = 2s;
  Start();
  std::optional<Status> first;
  auto restart = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await on->Restart(Asked(), false);
    out->emplace(status);
  };
  loop.Spawn(restart(runner, &first));
  loop.Advance(1s);
  EXPECT_TRUE(Restart().ok());
  loop.RunReady();
  EXPECT_TRUE(first && first->ok());
  EXPECT_EQ(driver.Count("stop"), 1);
  EXPECT_EQ(driver.Count("start"), 2);
  EXPECT_EQ(state()->restarts, 1u);
  Kill();
  loop.Advance(2s);
}

TEST_F(RunnerControlTest, ARestartThatCannotStopTheTaskLeavesItRunning) {
  services.driver_timeout = 2s;
  script().stop_hangs = true;
  script().force_kill_error = Error(Code::kNotFound, "no processes of ours");
  script().stop_error = Error(Code::kInternal, "busy");
  Start();
  std::optional<Status> restarted;
  auto restart = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await on->Restart(Asked(), false);
    out->emplace(status);
  };
  loop.Spawn(restart(runner, &restarted));
  loop.Advance(10min);
  ASSERT_TRUE(restarted);
  EXPECT_FALSE(restarted->ok());
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.running("web"), 1) << "never two of a task";
  EXPECT_EQ(driver.Count("start"), 1);
  driver.End("web", ExitResult{});
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 2);
  driver.On("web") = FakeDriver::Script();
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.RunReady();
  Finish();
}

TEST_F(RunnerControlTest, ForceRestartRunsADeadOneShotAgain) {
  job().type = JobType::kBatch;
  script().run_for = 1s;
  Start();
  loop.Advance(1s);
  const WallTime finished = state()->finished_at;
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_FALSE(Restart().ok());
  EXPECT_TRUE(ForceRestart().ok());
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(state()->restarts, 1u);
  loop.Advance(1s);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated",
                                 "Restart Signaled", "Restarting", "Started", "Terminated"));
  EXPECT_EQ(state()->finished_at, finished) << "the first end is kept";
  Finish();
  EXPECT_FALSE(ForceRestart().ok()) << "its run is complete";
}

TEST_F(RunnerControlTest, ForceRestartOfATaskThatEndedWhileItsPoststartHooksRun) {
  const auto hook = AddHook("slow");
  hook->On(HookStage::kPoststart).way = ScriptedHook::Way::kIgnoreContext;
  Start();
  driver.End("web", ExitResult{});
  loop.RunReady();
  EXPECT_TRUE(ForceRestart().ok());
  hook->On(HookStage::kPoststart).way = ScriptedHook::Way::kReturn;
  hook->release.Set();
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 2);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
  Finish();
}

TEST_F(RunnerControlTest, ForceRestartWaitsForItsGate) {
  job().type = JobType::kBatch;
  script().run_for = 1s;
  Start();
  loop.Advance(1s);
  gate.open.Reset();
  EXPECT_TRUE(ForceRestart().ok());
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kPending);
  EXPECT_EQ(driver.Count("start"), 1);
  gate.open.Set();
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 2);
  Kill();
  EXPECT_EQ(std::count(types.begin(), types.end(), "Killing"), 0) << "it has finished once already";
}

TEST_F(RunnerControlTest, ForceRestartForAFailureObeysThePolicy) {
  script().run_for = 1s;
  Start();
  loop.Advance(1s);
  EXPECT_TRUE(ForceRestart(true).ok());
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(driver.Count("start"), 1);
  EXPECT_EQ(types.back(), "Not Restarting");
  Finish();
}

TEST_F(RunnerControlTest, ForceRestartOfARunningTaskIsARestart) {
  Start();
  EXPECT_TRUE(ForceRestart().ok());
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 2);
  Kill();
}

TEST_F(RunnerControlTest, SignalReachesTheDriver) {
  Start();
  EXPECT_TRUE(Signal().ok());
  EXPECT_EQ(types.back(), "Signaling");
  EXPECT_EQ(driver.Count("signal web SIGHUP"), 1);
  script().signal_error.reset();
  Kill();
}

TEST_F(RunnerControlTest, ErrorsOfASignalAreReturnedAsTheyAre) {
  script().signal_error = Error(Code::kInvalidArgument, "unknown signal");
  Start();
  EXPECT_EQ(Signal().error(), *script().signal_error);
  Kill();
}

TEST_F(RunnerControlTest, AStandstillOfThisProcessIsNoLateSignal) {
  script().signal_blocks = true;
  Start();
  std::optional<Status> answer;
  const auto ask = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await on->Signal(TaskEvent(event_type::kSignaling), "SIGHUP");
    out->emplace(status);
  };
  loop.Spawn(ask(runner, &answer));
  loop.RunReady();
  loop.StandStill(1h);
  EXPECT_FALSE(answer.has_value());
  loop.Advance(services.driver_timeout);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->code(), Code::kTimeout);
  Kill();
}

// A driver with a longer limit gets that time: it ends its calls by itself.
TEST_F(RunnerControlTest, TheDriversOwnLimitComesFirst) {
  driver.own_limit = 1min;
  script().signal_blocks = true;
  Start();
  std::optional<Status> answer;
  const auto ask = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await on->Signal(TaskEvent(event_type::kSignaling), "SIGHUP");
    out->emplace(status);
  };
  loop.Spawn(ask(runner, &answer));
  loop.Advance(1min + services.driver_timeout - 1s);
  EXPECT_FALSE(answer.has_value());
  loop.Advance(1s);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->code(), Code::kTimeout);
  Kill();
}

TEST_F(RunnerControlTest, SignalWithoutATaskIsNoEvent) {
  gate.open.Reset();
  Start();
  EXPECT_EQ(Signal().error().message(), "Task not running");
  Kill();
  EXPECT_EQ(Signal().error().message(), "Task not running");
  EXPECT_THAT(types, ElementsAre("Received", "Killing"));
}

TEST_F(RunnerControlTest, ExecWaitsForATaskThatIsAboutToStart) {
  script().start_delay = 2s;
  Start();
  const TimePoint start = loop.Now();
  EXPECT_TRUE(Exec().ok());
  EXPECT_EQ(loop.Now() - start, 250ms + 1s + 4s);
  EXPECT_EQ(driver.Count("exec web ls"), 1);
  Kill();
}

TEST_F(RunnerControlTest, ExecGivesUpAfterFiveTries) {
  gate.open.Reset();
  Start();
  const TimePoint start = loop.Now();
  const Status status = Exec();
  EXPECT_EQ(status.error().message(), "no driver handle");
  EXPECT_EQ(loop.Now() - start, 250ms + 1s + 4s + 5s + 5s);
  Kill();
}

TEST_F(RunnerControlTest, ExecEndsWithItsContextAndWithTheTask) {
  gate.open.Reset();
  Start();
  EXPECT_EQ(Ask(DoExec(runner, Context(&loop).WithTimeout(2s))).code(), Code::kTimeout);
  std::optional<Status> answer;
  auto ask = [](Co<Status> inner, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await std::move(inner);
    out->emplace(status);
  };
  loop.Spawn(ask(DoExec(runner, Context(&loop)), &answer));
  loop.RunReady();
  Kill();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().message(), "Task not running");
  EXPECT_EQ(Exec().error().message(), "Task not running");
}

TEST_F(RunnerControlTest, ExecReplacesVariablesIfItIsAskedTo) {
  AddHook("paths")->response.env = {{"DIRECTORY", "/local"}};
  Start();
  EXPECT_TRUE(Ask(DoExec(runner, Context(&loop), "DIRECTORY")).ok());
  EXPECT_EQ(driver.Count("exec web DIRECTORY"), 1);
  EXPECT_TRUE(Ask(DoExec(runner, Context(&loop), "DIRECTORY", true)).ok());
  EXPECT_EQ(driver.Count("exec web /local"), 1);
  Kill();
}

TEST_F(RunnerControlTest, ExecOfADriverThatCannot) {
  driver.the_info.can_exec = false;
  Start();
  EXPECT_EQ(Exec().error().message(), "task driver does not support exec");
  Kill();
}

TEST_F(RunnerControlTest, RequestsOfHooksAreCarriedOut) {
  Start();
  runner->RequestSignal(TaskEvent(event_type::kSignaling), "SIGUSR1");
  loop.RunReady();
  EXPECT_EQ(driver.Count("signal web SIGUSR1"), 1);
  runner->RequestRestart(Asked(), false);
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 2);
  runner->RequestKill(TaskEvent(event_type::kKilling));
  loop.RunReady();
  EXPECT_TRUE(over);
  runner->RequestRestart(Asked(), false);
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 2);
}

TEST_F(RunnerControlTest, UpdatesReachTheHooksAndCoalesce) {
  const auto hook = AddHook("services");
  Start();
  hook->On(HookStage::kUpdate).way = ScriptedHook::Way::kHang;
  for (int i = 0; i < 5; ++i) {
    runner->Update(std::make_shared<Allocation>(*alloc));
    loop.RunReady();
  }
  EXPECT_EQ(hook->On(HookStage::kUpdate).calls, 1);
  hook->On(HookStage::kUpdate).way = ScriptedHook::Way::kReturn;
  loop.Advance(1min);
  EXPECT_EQ(hook->On(HookStage::kUpdate).calls, 2);
  hook->On(HookStage::kUpdate).way = ScriptedHook::Way::kHang;
  runner->Update(std::make_shared<Allocation>(*alloc));
  loop.RunReady();
  Kill();
  EXPECT_EQ(hook->On(HookStage::kUpdate).returned, 3);
}

TEST_F(RunnerControlTest, AnUpdateChangesThePolicyAndTheKillTimeout) {
  policy().attempts = 0;
  Start();
  auto updated = std::make_shared<Allocation>(*alloc);
  auto changed = std::make_shared<Job>(job());
  changed->groups[0].restart_policy.attempts = 1;
  changed->groups[0].tasks[0].kill_timeout = 9s;
  updated->job = changed;
  runner->Update(updated);
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(10s);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
  EXPECT_EQ(driver.Count("stop web 9s"), 1);
}

TEST_F(RunnerControlTest, ALostPluginIsRecoveredWithoutAnEvent) {
  Start();
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_THAT(driver.calls(), ElementsAre("start web", "recover web"));
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  Kill();
  EXPECT_EQ(types.back(), "Killed");
}

TEST_F(RunnerControlTest, ALostPluginMayComeBackLater) {
  Start();
  driver.recover_error = Error(Code::kUnavailable, "loading");
  driver.recover_errors = 4;
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.Advance(15s);
  EXPECT_EQ(driver.Count("recover"), 5);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  // Much later it may go away again.
  loop.Advance(1min);
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.Count("start"), 1);
  Kill();
}

TEST_F(RunnerControlTest, ATaskOutlivesALongFaultOfItsDriver) {
  Start();
  driver.SetHealth(Health::kUnhealthy, "does not load");
  driver.recover_error = Error(Code::kUnavailable, "does not load");
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.Advance(1h);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.running("web"), 1);
  EXPECT_LT(driver.Count("recover"), 2000) << "no tight loop";
  driver.recover_error.reset();
  driver.SetHealth(Health::kHealthy);
  loop.Advance(5s);
  driver.End("web", ExitResult{0, 0, false, ""});
  loop.RunReady();
  EXPECT_EQ(driver.Count("start"), 1);
  EXPECT_EQ(types.back(), "Not Restarting");
  Finish();
}

// A driver that has not answered has not said that the task is lost.
TEST_F(RunnerControlTest, ARecoverThatIsNotAnsweredInTimeIsAskedAgain) {
  Start();
  driver.recover_error = Error(Code::kTimeout, "it did not answer");
  driver.recover_errors = 20;
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.Advance(1min);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.running("web"), 1);
  EXPECT_LT(driver.Count("recover"), 15) << "no tight loop";
  loop.Advance(1min);
  EXPECT_EQ(driver.Count("recover"), 21);
  EXPECT_EQ(driver.Count("start"), 1);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
  EXPECT_EQ(types.back(), "Killed");
}

// A driver whose daemon is away for a while has not said that the task is lost.
TEST_F(RunnerControlTest, ARecoverThatMaySucceedLaterIsAskedAgain) {
  Start();
  driver.recover_error = Error(Code::kUnavailable, "its daemon is away", /*recoverable=*/true);
  driver.recover_errors = 20;
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.Advance(3min);
  EXPECT_EQ(driver.Count("recover"), 21);
  EXPECT_EQ(driver.running("web"), 1);
  EXPECT_EQ(driver.Count("start"), 1);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
  EXPECT_EQ(types.back(), "Killed");
}

TEST_F(RunnerControlTest, StartsLeaveNoListenersWithTheDriver) {
  policy().attempts = 1;
  Start();
  for (int i = 0; i < 200; ++i) {
    driver.End("web", ExitResult{1, 0, false, ""});
    loop.Advance(1h);
  }
  EXPECT_GT(driver.Count("start"), 100);
  EXPECT_LE(driver.kept_listeners(), 96u);
  Kill();
}

TEST_F(RunnerControlTest, ATaskThatCannotBeRecoveredIsKilledAndEnds) {
  Start();
  driver.recover_error = Error(Code::kInternal, "no");
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.RunReady();
  EXPECT_EQ(types[3], "Terminated");
  EXPECT_THAT(DisplayMessage(state()->events[3]), HasSubstr("the plugin is gone"));
  EXPECT_THAT(driver.calls(),
              ElementsAre("start web", "recover web", "force_kill web", "destroy web force"));
  EXPECT_EQ(phase(), RunnerState::kDead);
  Finish();
}

TEST_F(RunnerControlTest, AHandleThatReplacesTheFirstIsStored) {
  Start();
  TaskHandle newer;
  newer.state = "newer";
  driver.ReplaceHandle("web", newer);
  loop.RunReady();
  EXPECT_EQ(store.saved.back()->handle, newer);
  EXPECT_EQ(driver.Count("recover"), 0);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
  Finish();
}

TEST_F(RunnerControlTest, APluginThatIsLostAtOnceAgainIsNoLoop) {
  Start();
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.RunReady();
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  loop.RunReady();
  EXPECT_EQ(driver.Count("recover"), 1);
  EXPECT_EQ(phase(), RunnerState::kDead);
  Finish();
}

TEST_F(RunnerControlTest, AnEndWhileThePluginWasGoneIsSeen) {
  Start();
  driver.recover_error = Error(Code::kUnavailable, "loading");
  driver.recover_errors = 2;
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  driver.End("web", ExitResult{4, 0, false, ""});
  loop.Advance(10s);
  EXPECT_EQ(state()->events[3]->Detail(event_key::kExitCode), "4");
  Finish();
}

TEST_F(RunnerControlTest, KillWhileThePluginIsGone) {
  Start();
  driver.recover_error = Error(Code::kUnavailable, "loading");
  driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
  driver.SetHealth(Health::kUnhealthy, "gone");
  Kill();
  EXPECT_EQ(driver.running("web"), 0) << "the host kills at once";
  EXPECT_TRUE(loop.RunUntil([this] { return over; }, 6s));
  EXPECT_EQ(driver.live_runs(), 0u);
}

TEST_F(RunnerControlTest, StatisticsWhileSomebodyWantsThem) {
  StatsDemand demand(&loop);
  services.stats_demand = &demand;
  Start();
  EXPECT_EQ(driver.stats_calls(), 0);
  {
    const StatsDemand::Token metrics = demand.Acquire();
    loop.Advance(3s);
    EXPECT_EQ(runner->stats()->samples(), 4u);
    EXPECT_TRUE(Restart().ok());
    loop.Advance(2s);
    EXPECT_EQ(driver.stats_calls(), 2) << "the new run has its own stream";
    driver.LosePlugin(Error(Code::kUnavailable, "the plugin is gone"));
    loop.Advance(10s);
    EXPECT_EQ(driver.stats_calls(), 3) << "the stream continues after the recovery";
    EXPECT_NE(runner->stats()->latest(), nullptr);
    Kill();
  }
  EXPECT_EQ(runner->stats()->latest(), nullptr);
  runner = nullptr;
}

TEST_F(RunnerControlTest, ADriverThatEndsAStreamLateHoldsNoOtherRun) {
  StatsDemand demand(&loop);
  services.stats_demand = &demand;
  Event late(&loop);
  policy() = {5, 10min, 0s, RestartPolicy::Mode::kFail};
  FakeDriver::Script first;
  first.stats_end = &late;
  driver.Next("web", first);
  const StatsDemand::Token metrics = demand.Acquire();
  Start();
  ASSERT_EQ(driver.stats_calls(), 1);
  // A second run ends while the driver still holds the stream of the first.
  for (int run = 0; run < 2; ++run) {
    driver.End("web", ExitResult{1, 0, false, ""});
    loop.Advance(10s);
    ASSERT_EQ(phase(), RunnerState::kRunning);
  }
  EXPECT_EQ(driver.stats_calls(), 1);
  late.Set();
  loop.RunReady();
  EXPECT_EQ(driver.stats_calls(), 2) << "only for the present run";
  EXPECT_NE(runner->stats()->latest(), nullptr);
  Kill();
  EXPECT_FALSE(runner->stats()->collecting());
  runner = nullptr;
}

TEST_F(RunnerControlTest, AStreamThatEndsAfterItsTaskIsFollowedByNone) {
  StatsDemand demand(&loop);
  services.stats_demand = &demand;
  Event late(&loop);
  policy() = {1, 10min, 0s, RestartPolicy::Mode::kFail};
  FakeDriver::Script first;
  first.stats_end = &late;
  driver.Next("web", first);
  const StatsDemand::Token metrics = demand.Acquire();
  Start();
  for (const Duration wait : {7s, 5s}) {
    ASSERT_EQ(driver.running("web"), 1);
    driver.End("web", ExitResult{1, 0, false, ""});
    loop.Advance(wait);
  }
  ASSERT_EQ(phase(), RunnerState::kRunning) << "the second end waits for the stream, too";
  late.Set();
  loop.RunReady();
  EXPECT_FALSE(runner->stats()->collecting());
  EXPECT_EQ(driver.stats_calls(), 1);
  loop.Advance(10s);
  EXPECT_EQ(phase(), RunnerState::kDead);
  Finish();
  runner = nullptr;
}

TEST_F(RunnerControlTest, StatisticsEndAtShutdown) {
  StatsDemand demand(&loop);
  const StatsDemand::Token metrics = demand.Acquire();
  services.stats_demand = &demand;
  Start();
  Shutdown();
  EXPECT_TRUE(shut_down);
  EXPECT_EQ(driver.open_calls(), 0);
  runs_left = 1;
  runner = nullptr;
}

TEST_F(RunnerControlTest, APoststartHookThatHangsDoesNotHideTheEndOfTheTask) {
  const auto hook = AddHook("services");
  hook->On(HookStage::kPoststart).way = ScriptedHook::Way::kHang;
  job().type = JobType::kBatch;
  script().run_for = 2s;
  Start();
  loop.Advance(2s);
  EXPECT_EQ(types.back(), "Terminated");
  EXPECT_EQ(phase(), RunnerState::kDead);
  Finish();
}

TEST_F(RunnerControlTest, EventsOfTheDriverInItsStartAreHeard) {
  script().start_delay = 2s;
  Start();
  loop.Advance(1s);
  driver.Emit("web", "pulling the image");
  loop.Advance(1s);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Driver", "Started"));
  driver.Emit("web", "once");
  EXPECT_EQ(std::count(types.begin(), types.end(), "Driver"), 2);
  Kill();
}

TEST_F(RunnerControlTest, AThousandRestartsLeaveNothing) {
  Start();
  const long contexts = Context::live();
  const std::size_t timers = loop.live_timers();
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0) {
      driver.LosePlugin(Error(Code::kUnavailable, "gone"));
      loop.Advance(31s);
    }
    ASSERT_TRUE(Restart().ok());
    loop.RunReady();
  }
  EXPECT_EQ(Context::live(), contexts);
  EXPECT_EQ(loop.live_timers(), timers);
  EXPECT_EQ(driver.live_runs(), 1u);
  Kill();
}

// The task counts as running until the hooks have seen the end of its run.
TEST_F(RunnerControlTest, ARequestForARunThatHasEndedIsNoneForTheNextOne) {
  policy().attempts = 1;
  policy().delay = 0s;
  const auto hook = AddHook("slow");
  hook->On(HookStage::kExited).way = ScriptedHook::Way::kIgnoreContext;
  Start();
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.RunReady();
  ASSERT_EQ(phase(), RunnerState::kRunning);
  const TimePoint asked = loop.Now();
  EXPECT_EQ(Restart().error().message(), "Task not running");
  EXPECT_EQ(Signal().error().message(), "Task not running");
  EXPECT_EQ(loop.Now(), asked);
  hook->release.Set();
  loop.Advance(1min);
  EXPECT_EQ(driver.Count("start"), 2);
  EXPECT_EQ(state()->restarts, 1u);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
}

TEST_F(RunnerControlTest, HooksThatHoldAtShutdownAreLeftBehind) {
  using Way = ScriptedHook::Way;
  for (const HookStage stage : {HookStage::kPrestart, HookStage::kPoststart, HookStage::kPrekill,
                                HookStage::kExited, HookStage::kStop, HookStage::kShutdown}) {
    SCOPED_TRACE(std::string(HookStageName(stage)));
    over = shut_down = false;
    runner = nullptr;
    const auto hook = AddHook("deaf");
    hook->On(stage).way = Way::kIgnoreContext;
    Start();
    if (stage == HookStage::kPrekill || stage == HookStage::kExited || stage == HookStage::kStop)
      Kill();
    const TimePoint start = loop.Now();
    Shutdown();
    EXPECT_TRUE(loop.RunUntil([this] { return shut_down; }, 1min));
    EXPECT_LE(loop.Now() - start, 7s);
    runner = nullptr;
    hook->release.Set();
    loop.RunReady();
    EXPECT_EQ(hook.use_count(), 1) << "nobody waits for its late return";
  }
  runs_left = driver.live_runs();
}

}  // namespace
}  // namespace drover
