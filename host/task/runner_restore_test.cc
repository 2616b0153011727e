// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/process/mock_processes_for_test.h"
#include "host/task/restore_barrier.h"
#include "host/task/runner_fixture.h"
#include "host/task/task_record.h"

// How a runner restores the tasks of an earlier agent, and what it leaves for the next one.
namespace drover {
namespace {

using testing::_;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::NiceMock;

struct RunnerRestoreTest : RunnerTest {
  // A task that ran when the earlier agent ended.
  void RestoreRunning(bool with_handle = true, bool with_config = true) {
    TaskRecords restored;
    restored.state.state = with_handle ? RunnerState::kRunning : RunnerState::kPending;
    for (const auto type : {event_type::kReceived, event_type::kTaskSetup, event_type::kStarted}) {
      if (with_handle || type != event_type::kStarted)
        AppendTaskEvent(&restored.state, TaskEvent(type), 1);
    }
    if (with_handle) restored.state.started_at = 1;
    restored.local.run_id = run;
    restored.local.task_config_id = "alloc/web/12345678";
    if (with_handle) restored.local.handle = TaskHandle{"fake", "1.0.0", 1, "old"};
    if (with_config) {
      auto config = std::make_shared<TaskConfig>();
      config->run_id = run;
      config->task_name = "web";
      config->id = restored.local.task_config_id;
      restored.local.config = config;
    }
    HookState dir;
    dir.data["is_done"] = "true";
    restored.local.hooks["task_dir"] = dir;
    options.restored = restored;
  }

  // The same, with a driver that does not say what became of the task.
  void RestoreRunningUnseen(Code code = Code::kUnavailable) {
    driver.Plant(run, "web");
    driver.recover_error = Error(code, "it hangs");
    driver.SetHealth(Health::kUnhealthy, "it hangs");
    RestoreRunning();
  }

  void TestBody() override {}  // for the tests within a test

  RunId run = RunId::Random();
  std::shared_ptr<ScriptedHook> hook;
};

TEST_F(RunnerRestoreTest, ARunningTaskIsTakenOverWithoutAnEvent) {
  driver.Plant(run, "web");
  RestoreRunning();
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(state()->started_at, 1);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  EXPECT_THAT(driver.calls(), ElementsAre("recover web"));
  Kill();
  EXPECT_THAT(types,
              ElementsAre("Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"));
}

TEST_F(RunnerRestoreTest, ARunningTaskIsNotHeldUpByItsGate) {
  gate.open.Reset();
  driver.Plant(run, "web");
  RestoreRunning();
  Start();
  EXPECT_EQ(gate.asked, 0);
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.RunReady();
  EXPECT_EQ(types.back(), "Not Restarting");
  Finish();
}

TEST_F(RunnerRestoreTest, TheConfigurationIsMadeAgainWhenItWasNotKept) {
  driver.Plant(run, "web");
  RestoreRunning(true, false);
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.last_config("web")->run_id, run);
  EXPECT_EQ(driver.last_config("web")->id, "alloc/web/12345678");
  Kill();
}

TEST_F(RunnerRestoreTest, RecoverGetsTheMountsAndDevicesThatStartGot) {
  auto given = AddHook("devices");
  given->response.mounts = {{"/in/task", "/on/host", true, "private", true}};
  given->response.devices = {{"/dev/a", "/dev/b", "rw"}};
  given->response.device_env = {{"CARD", "0"}};
  Start();
  const auto started = driver.last_config("web");
  ASSERT_EQ(started->mounts, given->response.mounts);
  Shutdown();
  // The next agent asks the driver before its hooks, which may give something else by then.
  const auto kept = DecodeLocalState(EncodeLocalState(*store.saved.back()));
  ASSERT_TRUE(kept.ok());
  options.restored = TaskRecords{*state(), *kept};
  runner = nullptr;
  over = false;
  given = AddHook("devices");
  given->response.mounts = {{"/in/task", "/elsewhere", false, "", false}};
  const std::size_t saved = store.saved.size();
  Start();
  EXPECT_THAT(driver.calls(), Contains("recover web"));
  const auto recovered = driver.last_config("web");
  ASSERT_NE(recovered, started);
  EXPECT_EQ(recovered->mounts, started->mounts);
  EXPECT_EQ(recovered->devices, started->devices);
  EXPECT_EQ(recovered->device_env, started->device_env);
  EXPECT_EQ(recovered->env, started->env);
  // Whatever is stored from now on still has them, for the agent after this one.
  for (std::size_t i = saved; i < store.saved.size(); ++i) {
    EXPECT_EQ(store.saved[i]->mounts, started->mounts);
  }
  // A restart gives what the hooks say now, and the end leaves nothing.
  ASSERT_TRUE(Restart().ok());
  loop.RunReady();
  EXPECT_EQ(driver.last_config("web")->mounts, given->response.mounts);
  EXPECT_EQ(store.saved.back()->mounts, given->response.mounts);
  EXPECT_TRUE(store.saved.back()->devices.empty());
  Kill();
  EXPECT_TRUE(store.saved.back()->mounts.empty());
}

TEST_F(RunnerRestoreTest, AnEndInBetweenIsSeen) {
  policy().attempts = 1;
  driver.Plant(run, "web", ExitResult{3, 0, false, ""});
  RestoreRunning();
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated", "Restarting"));
  EXPECT_EQ(state()->events[3]->Detail(event_key::kExitCode), "3");
  EXPECT_THAT(driver.calls(), ElementsAre("recover web", "destroy web force"));
  Kill();
}

TEST_F(RunnerRestoreTest, AFinishedTaskIsNotRunAgainWhereverTheAgentDied) {
  // The records in the order in which the end stored them. The agent may die after each one.
  job().type = JobType::kBatch;
  script().run_for = 1s;
  Start();
  loop.Advance(1s);
  Finish();
  const auto records = store.saved;
  const TaskStateRecord dead = *state();
  std::size_t ends = 0;
  for (const auto& record : records) {
    if (!record->exit) continue;
    for (const bool reported : {false, true}) {
      ++ends;
      TaskRecords restored{dead, *record};
      restored.state.state = RunnerState::kRunning;
      if (!reported) restored.state.events.pop_back();
      options.restored = restored;
      runner = nullptr;
      over = false;
      types.clear();
      Start();
      EXPECT_EQ(phase(), RunnerState::kDead);
      EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated"));
      Finish();
    }
  }
  EXPECT_GE(ends, 2u);
  EXPECT_EQ(driver.Count("start"), 1);
}

TEST_F(RunnerRestoreTest, AKillThatTheAgentDidNotSurviveIsNoReasonToStartAgain) {
  policy().attempts = 3;
  for (const bool known : {false, true}) {  // whether the earlier agent saw the end
    runner = nullptr;
    over = false;
    types.clear();
    driver.Plant(run, "web", ExitResult{0, 0, false, ""});
    RestoreRunning();
    options.restored->local.wish = RunWish::kKill;
    if (known) options.restored->local.exit = ExitResult{0, 0, false, ""};
    Start();
    EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated", "Killed"));
    EXPECT_FALSE(state()->failed);
    Finish();
  }
  EXPECT_EQ(driver.Count("start"), 0);
}

TEST_F(RunnerRestoreTest, AKillGoesOn) {
  driver.Plant(run, "web");
  RestoreRunning();
  options.restored->local.wish = RunWish::kKill;
  Start();
  EXPECT_EQ(driver.Count("stop"), 1);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_FALSE(state()->failed);
  Finish();
}

TEST_F(RunnerRestoreTest, ARestartThatWasAskedForGoesOn) {
  for (const bool ended : {false, true}) {
    runner = nullptr;
    over = false;
    types.clear();
    const int starts = driver.Count("start");
    if (ended) {
      driver.Plant(run, "web", ExitResult{0, 15, false, ""});
    } else {
      driver.Plant(run, "web");
    }
    RestoreRunning();
    options.restored->local.wish = RunWish::kRestart;
    Start();
    EXPECT_EQ(phase(), RunnerState::kRunning);
    EXPECT_EQ(state()->restarts, 1u);
    EXPECT_EQ(driver.Count("start"), starts + 1);
    Kill();
  }
}

TEST_F(RunnerRestoreTest, WhatIsAskedOfARunIsStoredBeforeTheDriverIs) {
  const auto stored = [this](RunWish wish) {
    return std::any_of(store.saved.begin(), store.saved.end(), [wish](const auto& record) {
      return record->wish == wish && record->run_id && !record->exit;
    });
  };
  Start();
  runner->RequestRestart(TaskEvent(event_type::kRestartSignaled), false);
  loop.RunReady();
  EXPECT_TRUE(stored(RunWish::kRestart));
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(runner->local_state().wish, RunWish::kNone);  // the new run has none
  Kill();
  EXPECT_TRUE(stored(RunWish::kKill));
}

TEST_F(RunnerRestoreTest, ARestartThatWasDecidedIsNotDecidedAgain) {
  driver.Plant(run, "web", ExitResult{1, 0, false, ""});
  RestoreRunning();
  options.restored->local.exit = ExitResult{1, 0, false, ""};
  AppendTaskEvent(&options.restored->state, TerminatedEvent(ExitResult()), 2);
  AppendTaskEvent(&options.restored->state, RestartingEvent(10s, ""), 3);
  options.restored->state.state = RunnerState::kPending;
  Start();
  EXPECT_EQ(state()->restarts, 1u);
  EXPECT_THAT(driver.calls(), ElementsAre("force_kill web", "destroy web force", "start web"));
  Kill();
}

TEST_F(RunnerRestoreTest, AttemptsAreCountedOnOverEachRestartOfTheAgent) {
  policy().attempts = 3;
  policy().delay = 1s;
  policy().interval = 10min;
  script().run_for = 1s;
  script().exit = ExitResult{1, 0, false, ""};
  for (int restarts = 0;; ++restarts) {
    Start();
    loop.Advance(1s);
    if (restarts == 3) break;
    ASSERT_EQ(types.back(), "Restarting") << restarts;
    const TaskStateRecord kept = *state();  // the agent dies during the delay
    Shutdown();
    options.restored = TaskRecords{kept, *store.saved.back()};
    runner = nullptr;
    over = false;
    loop.Advance(1s);
  }
  EXPECT_EQ(types.back(), "Not Restarting");
  EXPECT_EQ(state()->restarts, 3u);
  EXPECT_EQ(driver.Count("start"), 4);
  Finish();
}

TEST_F(RunnerRestoreTest, NothingIsReportedThatHasNotChanged) {
  driver.Plant(run, "web");
  RestoreRunning();
  options.restored->state.attempts = 1;
  options.restored->state.attempts_since = loop.Wall() + Duration(1h).count();  // set back since
  const TaskStateRecord before = options.restored->state;
  Start();
  EXPECT_EQ(*state(), before);
  Kill();
}

TEST_F(RunnerRestoreTest, AnIntervalThatIsOverMeanwhileCountsFromTheBeginning) {
  policy().attempts = 1;
  for (const Duration down : {9min, 10min}) {
    script().run_for = 1s;
    script().exit = ExitResult{1, 0, false, ""};
    options.restored = TaskRecords();
    options.restored->state.attempts = 1;
    options.restored->state.attempts_since = loop.Wall() + Duration(1s - down).count();
    runner = nullptr;
    over = false;
    Start();
    loop.Advance(1s);
    EXPECT_EQ(types.back(), down < 10min ? "Not Restarting" : "Restarting");
    Kill();
  }
}

TEST_F(RunnerRestoreTest, ATaskOfAStoppedAllocationIsStopped) {
  alloc->desired_status = DesiredStatus::kStop;
  driver.Plant(run, "web");
  RestoreRunning();
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated"));
  EXPECT_THAT(driver.calls(), ElementsAre("recover web", "stop web 5s", "destroy web force"));
  EXPECT_EQ(phase(), RunnerState::kDead);
  Finish();
}

TEST_F(RunnerRestoreTest, AKillThatCameBeforeTheRunStopsTheTask) {
  driver.Plant(run, "web");
  RestoreRunning();
  Create();
  runner->StartKill(runner->MakeKillingEvent());
  Start();
  EXPECT_TRUE(over);
  EXPECT_EQ(driver.running("web"), 0);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Killing", "Terminated"));
}

TEST_F(RunnerRestoreTest, ALostTaskWaitsForTheServer) {
  Event contact(&loop);
  services.wait_server_contact = [&contact](Context context) { return contact.Wait(context); };
  RestoreRunning();
  Start();
  EXPECT_EQ(phase(), RunnerState::kPending);
  EXPECT_EQ(types.back(), "Failed Restoring Task");
  EXPECT_EQ(DisplayMessage(state()->events.back()),
            "failed to restore task; will not run until server is contacted");
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(driver.Count("destroy"), 1);
  contact.Set();
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(state()->restarts, 0u);
  Kill();
}

TEST_F(RunnerRestoreTest, KillAndShutdownEndTheWaitForTheServer) {
  for (const bool kill : {true, false}) {
    Event contact(&loop);
    services.wait_server_contact = [&contact](Context context) { return contact.Wait(context); };
    runner = nullptr;
    over = shut_down = false;
    RestoreRunning();
    Start();
    kill ? Kill() : Shutdown();
    EXPECT_TRUE(over);
    EXPECT_EQ(phase(), kill ? RunnerState::kDead : RunnerState::kPending);
  }
}

TEST_F(RunnerRestoreTest, WithoutAServerALostTaskStartsAgain) {
  RestoreRunning();
  Start();
  EXPECT_THAT(types,
              ElementsAre("Received", "Task Setup", "Started", "Failed Restoring Task", "Started"));
  Kill();
}

TEST_F(RunnerRestoreTest, SystemJobsStartAgainAtOnce) {
  job().type = JobType::kSystem;
  services.wait_server_contact = [](Context context) -> Co<Status> {
    co_await context.Cancelled();
    co_return context.status();
  };
  RestoreRunning();
  Start();
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Started"));
  Kill();
}

TEST_F(RunnerRestoreTest, AFailedRecoverKillsWhatIsLeft) {
  driver.Plant(run, "web");
  driver.recover_error = Error(Code::kInternal, "bad handle");
  RestoreRunning();
  Start();
  EXPECT_THAT(driver.calls(),
              ElementsAre("recover web", "force_kill web", "destroy web force", "start web"));
  EXPECT_EQ(driver.running("web"), 1);
  Kill();
}

TEST_F(RunnerRestoreTest, ADriverThatIsNotThereYetIsAskedAgain) {
  driver.Plant(run, "web");
  driver.recover_error = Error(Code::kUnavailable, "loading");
  driver.recover_errors = 3;
  RestoreRunning();
  Start();
  loop.Advance(6s);
  EXPECT_EQ(driver.Count("recover"), 4);
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
}

TEST_F(RunnerRestoreTest, AsLongAsTheDriverMayComeBackItIsAskedAgain) {
  for (const Code code : {Code::kUnavailable, Code::kTimeout}) {
    runner = nullptr;
    over = false;
    types.clear();
    const int before = driver.Count("recover");
    driver.recover_errors = 1 << 30;
    RestoreRunningUnseen(code);
    Start();
    // The fake driver times out at once; a real one would take its time.
    if (code == Code::kTimeout) driver.recover_errors = 5;
    loop.Advance(10min);
    EXPECT_EQ(driver.running("web"), 1);
    if (code == Code::kUnavailable) driver.recover_errors = 0;
    loop.Advance(10min);
    EXPECT_GE(driver.Count("recover"), before + 6);
    EXPECT_EQ(driver.Count("force_kill"), 0);
    EXPECT_EQ(driver.Count("start"), 0);
    EXPECT_EQ(phase(), RunnerState::kRunning);
    EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Plugin became unhealthy",
                                   "Plugin became healthy"));
    driver.End("web", ExitResult{0, 0, false, ""});
    loop.RunReady();
    Finish();
  }
}

// For example, the host lacks descriptors: the task runs, but nobody can say so.
TEST_F(RunnerRestoreTest, AsLongAsNobodyKnowsWhatBecameOfTheRunItIsAskedAgain) {
  driver.Plant(run, "web");
  driver.recover_error = Error(Code::kUnavailable, "too many open files", true);
  RestoreRunning();
  Start();
  loop.Advance(10min);
  EXPECT_EQ(driver.running("web"), 1);
  driver.recover_errors = 0;
  loop.Advance(10s);
  EXPECT_EQ(driver.Count("force_kill"), 0);
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
}

TEST_F(RunnerRestoreTest, AKillDoesNotWaitForADriverThatMayComeBack) {
  RestoreRunningUnseen();
  Start();
  loop.Advance(10min);
  EXPECT_EQ(driver.running("web"), 1);
  Kill();
  EXPECT_TRUE(over);
  EXPECT_EQ(driver.running("web"), 0);
}

TEST_F(RunnerRestoreTest, WhatIsToEndDoesNotWaitForADriverThatMayComeBack) {
  for (const bool stopped : {false, true}) {  // the whole allocation, or this task
    SCOPED_TRACE(stopped);
    runner = nullptr;
    over = false;
    RestoreRunningUnseen();
    alloc->desired_status = stopped ? DesiredStatus::kStop : DesiredStatus::kRun;
    options.restored->local.wish = stopped ? RunWish::kNone : RunWish::kKill;
    Start();
    loop.Advance(1min);
    EXPECT_EQ(phase(), RunnerState::kDead);
    EXPECT_EQ(driver.running("web"), 0);
    EXPECT_EQ(driver.Count("start"), 0);
    Finish();
  }
}

TEST_F(RunnerRestoreTest, TheRunOfADriverThatIsNotConfiguredAnyMoreIsReleased) {
  RestoreRunning();
  task().driver = "gone";
  NiceMock<MockProcesses> processes;
  services.processes = &processes;
  EXPECT_CALL(processes, Release(_, run)).WillOnce([](Context, RunId) -> Co<Status> {
    co_return Status();
  });
  Start();
  loop.Advance(1min);
  EXPECT_FALSE(runner->local_state().run_id);
  Finish();
}

TEST_F(RunnerRestoreTest, ATaskThatHasNotBegunLeavesNothingToTheNextAgent) {
  Create();
  Shutdown();
  EXPECT_TRUE(shut_down);
  EXPECT_THAT(store.saved, IsEmpty());
  runner_must_end = false;
}

// Until its end is stored, only the driver can report it to the next agent.
TEST_F(RunnerRestoreTest, AnEndThatCannotBeWrittenDownStaysWithTheDriver) {
  policy().attempts = 1;
  for (const bool room : {false, true}) {
    SCOPED_TRACE(room);
    runner = nullptr;
    over = shut_down = false;
    types.clear();
    driver.Plant(run, "web");
    RestoreRunning();
    Start();
    store.error = Error(Code::kResourceExhausted, "the disk is full");
    driver.End("web", ExitResult{3, 0, false, ""});
    loop.Advance(1min);
    EXPECT_THAT(types,
                ElementsAre("Received", "Task Setup", "Started", "Terminated", "Restarting"));
    EXPECT_EQ(driver.Count("destroy"), 0);
    EXPECT_EQ(driver.Count("start"), 0);
    if (room) {
      store.error.reset();
      loop.Advance(1s);
      EXPECT_EQ(driver.Count("destroy"), 1);
      loop.Advance(10s);
      EXPECT_EQ(driver.Count("start"), 1);
      Kill();
    } else {
      Shutdown();
      EXPECT_TRUE(over);
      EXPECT_EQ(driver.Count("destroy"), 0);
    }
    store.error.reset();
  }
}

TEST_F(RunnerRestoreTest, AnEndThatCannotBeWrittenDownDoesNotKeepItsAllocation) {
  driver.Plant(run, "web");
  RestoreRunning();
  Start();
  store.error = Error(Code::kResourceExhausted, "the disk is full");
  driver.End("web", ExitResult{3, 0, false, ""});
  loop.Advance(1min);
  EXPECT_EQ(driver.Count("destroy"), 0);
  runner->LetGo();
  Kill();
  EXPECT_TRUE(over);
  EXPECT_EQ(driver.Count("destroy"), 1);
}

TEST_F(RunnerRestoreTest, AShutdownWhileARunIsDestroyedLeavesItToTheNextAgent) {
  script().destroy_blocks = true;
  Start();
  const RunId started = *runner->local_state().run_id;
  driver.End("web", ExitResult{3, 0, false, ""});
  loop.RunReady();
  Shutdown();
  EXPECT_TRUE(over);
  EXPECT_EQ(store.saved.back()->run_id, started);
  EXPECT_EQ(store.saved.back()->exit->exit_code, 3);
  runs_left = 1;
}

TEST_F(RunnerRestoreTest, AShutdownWhileTheRunOfADeadTaskIsDestroyedLeavesItToTheNextAgent) {
  script().destroy_blocks = true;
  driver.Plant(run, "web", ExitResult{3, 0, false, ""});
  RestoreRunning();
  options.restored->state.state = RunnerState::kDead;
  options.restored->local.exit = ExitResult{3, 0, false, ""};
  Start();
  ASSERT_EQ(driver.Count("destroy"), 1);
  Shutdown();
  EXPECT_TRUE(over);
  ASSERT_FALSE(store.saved.empty());
  EXPECT_EQ(store.saved.back()->run_id, run);
  runs_left = 1;
}

TEST_F(RunnerRestoreTest, AShutdownWhileAFailedStartIsClearedAwayLeavesItToTheNextAgent) {
  script().start_error = Error(Code::kInternal, "half made");
  script().destroy_blocks = true;
  Start();
  ASSERT_EQ(driver.Count("destroy"), 1);
  const RunId started = *runner->local_state().run_id;
  Shutdown();
  EXPECT_TRUE(over);
  EXPECT_EQ(store.saved.back()->run_id, started);
  runs_left = 1;
}

TEST_F(RunnerRestoreTest, AnIntentWithoutARunStartsUncounted) {
  RestoreRunning(false);
  Start();
  EXPECT_THAT(driver.calls(), ElementsAre("recover web empty", "start web"));
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  EXPECT_EQ(state()->restarts, 0u);
  Kill();
}

TEST_F(RunnerRestoreTest, AStartThatTheAgentDidNotSurviveIsAdopted) {
  driver.Plant(run, "web");
  RestoreRunning(false);
  Start();
  EXPECT_THAT(driver.calls(), ElementsAre("recover web empty"));
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  EXPECT_EQ(driver.running("web"), 1);
  EXPECT_TRUE(runner->local_state().handle);
  Kill();
}

TEST_F(RunnerRestoreTest, AStartWhoseStateWasNotKeptIsReportedWhenItIsAdopted) {
  driver.Plant(run, "web");
  RestoreRunning(false);
  options.restored->local.handle = TaskHandle{"fake", "1.0.0", 1, "old"};
  Start();
  EXPECT_THAT(driver.calls(), ElementsAre("recover web"));
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  Kill();
}

TEST_F(RunnerRestoreTest, ADriverThatIsBeingLoadedIsNotAskedYet) {
  RestoreBarrier restores(&loop);
  services.restores = &restores;
  restores.Loading("fake");
  driver.Plant(run, "web");
  RestoreRunning();
  restores.Expect("fake", "alloc/web", run);
  Start();
  loop.Advance(1h);
  EXPECT_THAT(driver.calls(), IsEmpty());
  restores.Loaded("fake");
  loop.RunReady();
  EXPECT_THAT(driver.calls(), ElementsAre("recover web"));
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
}

TEST_F(RunnerRestoreTest, ARequestWaitsForTheTakeOver) {
  RestoreBarrier restores(&loop);
  services.restores = &restores;
  restores.Loading("fake");
  driver.Plant(run, "web");
  RestoreRunning();
  restores.Expect("fake", "alloc/web", run);
  Start();
  runner->RequestRestart(TaskEvent(event_type::kRestartSignaled), false);
  loop.Advance(100ms);
  EXPECT_THAT(driver.calls(), IsEmpty());
  restores.Loaded("fake");
  restores.Open("fake");
  loop.Advance(1s);
  EXPECT_THAT(driver.calls(), Contains("start web"));
  EXPECT_EQ(state()->restarts, 1u);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
}

TEST_F(RunnerRestoreTest, NothingIsPreparedForADriverThatIsBeingLoaded) {
  RestoreBarrier restores(&loop);
  services.restores = &restores;
  restores.Loading("fake");
  Start();
  loop.Advance(1h);
  EXPECT_EQ(phase(), RunnerState::kPending);
  EXPECT_THAT(types, ElementsAre("Received"));
  restores.Loaded("fake");
  restores.Open("fake");
  loop.RunReady();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  Kill();
}

TEST_F(RunnerRestoreTest, AShutdownEndsTheWaitForADriver) {
  RestoreBarrier restores(&loop);
  services.restores = &restores;
  restores.Loading("fake");
  driver.Plant(run, "web");
  RestoreRunning();
  runs_left = 1;
  Start();
  Shutdown();
  EXPECT_THAT(driver.calls(), IsEmpty());
  EXPECT_EQ(driver.running("web"), 1);
}

TEST_F(RunnerRestoreTest, ADeadTaskIsNotStartedAndNotRecovered) {
  RestoreRunning();
  options.restored->state.state = RunnerState::kDead;
  options.restored->state.finished_at = 5;
  Start();
  EXPECT_EQ(driver.Count("start") + driver.Count("recover"), 0);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_FALSE(over) << "its allocation may still be restarted";
  Finish();
  EXPECT_EQ(state()->finished_at, 5);
}

TEST_F(RunnerRestoreTest, ACompleteRunOnlyRunsItsStopHooks) {
  const auto hook = AddHook("identity");
  RestoreRunning();
  options.restored->local.run_id.reset();
  options.restored->local.run_complete = true;
  options.restored->state.state = RunnerState::kDead;
  Start();
  EXPECT_TRUE(over);
  EXPECT_THAT(hook_log, ElementsAre("identity stop"));
  EXPECT_TRUE(driver.calls().empty());
}

TEST_F(RunnerRestoreTest, ACompleteRunOfWhichTheStateWasLostIsDead) {
  RestoreRunning();
  options.restored->local.run_id.reset();
  options.restored->local.run_complete = true;
  options.restored->state = {};
  Start();
  EXPECT_TRUE(over);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_TRUE(driver.calls().empty());
}

TEST_F(RunnerRestoreTest, HooksThatWereDoneAreNotRunButTheirEnvironmentCounts) {
  const auto hook = AddHook("artifacts");
  driver.Plant(run, "web");
  RestoreRunning(true, false);
  HookState done;
  done.prestart_done = true;
  done.env["FROM_HOOK"] = "1";
  options.restored->local.hooks["artifacts"] = done;
  Start();
  EXPECT_EQ(hook->On(HookStage::kPrestart).calls, 0);
  EXPECT_EQ(driver.last_config("web")->env.at("FROM_HOOK"), "1");
  EXPECT_EQ(builder.built, 1) << "directories are made again each time";
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  Kill();
}

TEST_F(RunnerRestoreTest, AHookThatFailsDoesNotStopARunningTask) {
  policy().attempts = 1;
  const auto hook = AddHook("identity");
  hook->On(HookStage::kPrestart).way = ScriptedHook::Way::kFail;
  driver.Plant(run, "web");
  RestoreRunning();
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started"));
  EXPECT_THAT(reports, ElementsAre(HasSubstr("the task keeps running")));
  // Its next start needs the hook.
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(10s);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Started", "Terminated", "Restarting",
                                 "Task hook failed", "Not Restarting"));
  Finish();
}

TEST_F(RunnerRestoreTest, ATaskThatMustNotStartRunsOnAndIsNotStartedAgain) {
  policy().attempts = 1;
  driver.Plant(run, "web");
  RestoreRunning();
  Create();
  runner->ForbidStart("no network");
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(10s);
  EXPECT_TRUE(over);
  EXPECT_TRUE(state()->failed);
  EXPECT_EQ(DisplayMessage(state()->events.back()), "no network");
  EXPECT_EQ(driver.Count("start"), 0);
}

// For example, metadata of the node are gone, or the plugin's new version lacks an option.
TEST_F(RunnerRestoreTest, AConfigurationThatIsNoLongerValidDoesNotStopARunningTask) {
  driver.Plant(run, "web");
  driver.normalize_error = Error(Code::kInvalidArgument, "unknown option");
  preparer.error = Error(Code::kInvalidArgument, "unknown variable");
  policy().attempts = 1;
  RestoreRunning(true, false);
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.Count("recover"), 1);
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(10s);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_THAT(types, testing::Contains("Failed Validation")) << "the next start reports it";
  Finish();
}

TEST_F(RunnerRestoreTest, ShutdownLeavesTheTaskRunning) {
  const auto hook = AddHook("services");
  Start();
  const RunId started = *runner->local_state().run_id;
  Shutdown();
  EXPECT_TRUE(over);
  EXPECT_TRUE(shut_down);
  EXPECT_EQ(driver.running("web"), 1);
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_THAT(driver.calls(), ElementsAre("start web"));
  EXPECT_THAT(hook_log,
              ElementsAre("services prestart", "services poststart", "services shutdown"));
  EXPECT_EQ(store.saved.back()->run_id, started);
  EXPECT_TRUE(store.saved.back()->handle);
  runs_left = 1;
}

TEST_F(RunnerRestoreTest, ShutdownAndRestoreLoseNothing) {
  Start();
  Shutdown();
  TaskRecords restored{*state(), *store.saved.back()};
  runner = nullptr;
  over = false;
  types.clear();
  options.restored = restored;
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_EQ(driver.Count("start"), 1);
  Kill();
  EXPECT_TRUE(over);
}

TEST_F(RunnerRestoreTest, ShutdownEndsEveryWait) {
  using Way = ScriptedHook::Way;
  struct Row {
    std::string where;
    std::function<void(RunnerRestoreTest*)> before;
    std::function<void(RunnerRestoreTest*)> after;
    std::size_t left;
  };
  const std::vector<Row> rows = {
      {"gate", [](auto* t) { t->gate.open.Reset(); }, nullptr, 0},
      {"prestart", [](auto* t) { t->hook->On(HookStage::kPrestart).way = Way::kHang; }, nullptr, 0},
      {"start", [](auto* t) { t->script().start_blocks = true; }, nullptr, 1},
      {"poststart", [](auto* t) { t->hook->On(HookStage::kPoststart).way = Way::kHang; }, nullptr,
       1},
      {"restart delay",
       [](auto* t) {
         t->policy().attempts = 3;
         t->script().start_error = Error(Code::kInternal, "x", true);
       },
       nullptr, 0},
      {"prekill", [](auto* t) { t->hook->On(HookStage::kPrekill).way = Way::kHang; },
       [](auto* t) { t->Kill(); }, 1},
      {"shutdown delay", [](auto* t) { t->task().shutdown_delay = 1h; }, [](auto* t) { t->Kill(); },
       1},
      {"stop", [](auto* t) { t->script().stop_hangs = true; }, [](auto* t) { t->Kill(); }, 1},
      {"exited", [](auto* t) { t->hook->On(HookStage::kExited).way = Way::kHang; },
       [](auto* t) { t->Kill(); }, 0},
      {"stop hooks", [](auto* t) { t->hook->On(HookStage::kStop).way = Way::kHang; },
       [](auto* t) { t->Kill(); }, 0},
      {"parked",
       [](auto* t) {
         t->job().type = JobType::kBatch;
         t->script().run_for = 0s;
       },
       [](auto* t) { t->loop.Advance(1s); }, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.where);
    RunnerRestoreTest test;
    test.hook = test.AddHook("hook");
    row.before(&test);
    test.Start();
    if (row.after) row.after(&test);
    EXPECT_FALSE(test.over);
    const TimePoint start = test.loop.Now();
    test.Shutdown();
    EXPECT_TRUE(test.shut_down);
    EXPECT_EQ(test.loop.Now(), start) << "there was nothing to wait for";
    test.runs_left = row.left;
    test.hook = nullptr;
    test.TearDown();
  }
}

TEST_F(RunnerRestoreTest, AnIntentIsStoredBeforeTheDriverIsCalled) {
  store.error = Error(Code::kResourceExhausted, "no space left on device");
  policy().attempts = 5;
  Start();
  EXPECT_EQ(driver.Count("start"), 0);
  store.error.reset();
  loop.Advance(10s);
  ASSERT_EQ(driver.Count("start"), 1);
  bool intent_seen = false;
  for (const auto& saved : store.saved)
    intent_seen = intent_seen || (saved->run_id && !saved->handle);
  EXPECT_TRUE(intent_seen);
  EXPECT_TRUE(store.saved.back()->handle);
  Kill();
  EXPECT_FALSE(store.saved.back()->run_id);
  EXPECT_TRUE(store.saved.back()->run_complete);
}

}  // namespace
}  // namespace drover
