// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How allocations end: which tasks are killed when others end, in which order, and what their
// events say.
#include <gtest/gtest.h>

#include "host/alloc/alloc_fixture.h"

namespace drover {
namespace {

using Types = std::vector<std::string>;

const Types kStopped = {"Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"};

// The events of a task that was killed for REASON.
Types KilledFor(const std::string& reason) {
  return {"Received", "Task Setup", "Started", reason, "Killing", "Terminated", "Killed"};
}

TEST(AllocEndTest, StopOfARunningTask) {
  AllocFixture fixture;
  fixture.AddTask("main");
  fixture.Start();
  EXPECT_EQ(fixture.status(), (AllocStatus{ClientStatus::kRunning, "Tasks are running"}));
  fixture.UpdateToStop();
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("main"), kStopped);
  EXPECT_EQ(fixture.status(), (AllocStatus{ClientStatus::kComplete, "All tasks have completed"}));
}

TEST(AllocEndTest, SecretsGoWhenTheLastTaskHasEndedForGood) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.AddTask("first");
  fixture.AddTask("second");
  fixture.Start();
  fixture.driver.End("first", ExitResult());
  fixture.loop.Advance(1h);
  EXPECT_EQ(fixture.disk.drops, 0) << "it may be started again with the others";
  fixture.driver.End("second", ExitResult());
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.disk.drops, 1);
  EXPECT_EQ(fixture.disk.destroys, 0) << "its files stay";
}

TEST(AllocEndTest, AnAgentThatEndsLeavesTheSecrets) {
  AllocFixture fixture;
  fixture.AddTask("main");
  fixture.Start();
  EXPECT_TRUE(fixture.loop.RunToEnd(fixture.runner().Shutdown()));
  EXPECT_TRUE(fixture.runner().ended());
  EXPECT_EQ(fixture.disk.drops, 0);
  fixture.driver.End("main", ExitResult());
  fixture.Forget();
}

TEST(AllocEndTest, AFailedTaskEndsItsSiblings) {
  AllocFixture fixture;
  fixture.AddTask("bad");
  fixture.AddTask("good");
  fixture.Start();
  fixture.driver.End("bad", ExitResult{1, 0, false, ""});
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("good"), KilledFor("Sibling Task Failed"));
  EXPECT_EQ(fixture.Events("bad"),
            (Types{"Received", "Task Setup", "Started", "Terminated", "Not Restarting"}));
  const TaskEvent& event = fixture.state("good").events[3];
  EXPECT_EQ(event.Detail(event_key::kFailedSibling), "bad");
  EXPECT_EQ(fixture.status(), (AllocStatus{ClientStatus::kFailed, "Failed tasks"}));
}

TEST(AllocEndTest, ATaskThatEndsWellDoesNotEndItsSiblings) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.AddTask("first");
  fixture.AddTask("second");
  fixture.Start();
  fixture.driver.End("first", ExitResult());
  fixture.loop.Advance(1h);
  EXPECT_EQ(fixture.Brief("second"), "running/0");
  EXPECT_FALSE(fixture.runner().ended());
  fixture.driver.End("second", ExitResult());
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("first"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
  EXPECT_EQ(fixture.status(), (AllocStatus{ClientStatus::kComplete, "All tasks have completed"}));
}

TEST(AllocEndTest, ADeadLeaderEndsTheOthers) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.AddTask("leader").leader = true;
  fixture.AddTask("other");
  fixture.AddTask("side", "side");
  fixture.Start();
  fixture.driver.End("leader", ExitResult());
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("other"), KilledFor("Leader Task Dead"));
  EXPECT_EQ(fixture.Events("side"), KilledFor("Leader Task Dead"));
  EXPECT_EQ(fixture.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, SidecarsEndWithTheMainTasks) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.AddTask("main");
  fixture.AddTask("before", "side");
  fixture.AddTask("after", "postside");
  fixture.Start();
  fixture.driver.End("main", ExitResult());
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("before"), KilledFor("Main Tasks Dead"));
  EXPECT_EQ(fixture.Events("after"), KilledFor("Main Tasks Dead"));
  EXPECT_EQ(fixture.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, ATaskKilledBeforeItsFirstStartWasNeverStarted) {
  AllocFixture fixture;
  fixture.AddTask("init", "init");
  fixture.AddTask("main");
  fixture.Start();
  fixture.UpdateToStop();
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("main"), (Types{"Received", "Killing"}));
  EXPECT_EQ(fixture.Brief("main"), "dead/0");
  EXPECT_NE(fixture.state("main").finished_at, 0);
  EXPECT_EQ(fixture.driver.Count("start main"), 0);
}

TEST(AllocEndTest, AOneShotThatIsDeadAlreadyIsNotKilled) {
  AllocFixture fixture;
  fixture.driver.On("init").run_for = 1s;
  fixture.AddTask("init", "init");
  fixture.AddTask("main");
  fixture.Start();
  fixture.loop.Advance(2s);
  fixture.UpdateToStop();
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("init").back(), "Terminated");
}

TEST(AllocEndTest, LeaderThenOthersThenSidecarsThenPoststop) {
  AllocFixture fixture;
  for (const char* name : {"leader", "a", "b", "side"}) fixture.driver.On(name).stop_delay = 2s;
  fixture.driver.On("stop").run_for = 1s;
  fixture.AddTask("side", "side");
  fixture.AddTask("stop", "stop");
  fixture.AddTask("a");
  fixture.AddTask("leader").leader = true;
  fixture.AddTask("b");
  fixture.Start();
  fixture.driver.trace.clear();
  const TimePoint begin = fixture.loop.Now();
  fixture.UpdateToStop();
  EXPECT_TRUE(fixture.RunToEnd());
  const std::string trace = fixture.driver.TraceText();
  EXPECT_TRUE(trace == "-leader -a -b -side +stop -stop" ||
              trace == "-leader -b -a -side +stop -stop")
      << trace;
  // The two in the middle are stopped at the same time.
  EXPECT_EQ(fixture.loop.Now() - begin, 2s + 2s + 2s + 1s);
  EXPECT_LT(fixture.state("leader").finished_at, fixture.state("a").finished_at);
  EXPECT_LT(fixture.state("b").finished_at, fixture.state("side").finished_at);
  EXPECT_LT(fixture.state("side").finished_at, fixture.state("stop").finished_at);
}

TEST(AllocEndTest, OneShotsMainTasksSidecarsPoststopFinishInThisOrder) {
  AllocFixture fixture;
  fixture.driver.On("init").run_for = 1s;
  fixture.driver.On("stop").run_for = 1s;
  for (const char* name : {"main", "side"}) fixture.driver.On(name).stop_delay = 1s;
  fixture.AddTask("main");
  fixture.AddTask("init", "init");
  fixture.AddTask("side", "side");
  fixture.AddTask("stop", "stop");
  fixture.Start();
  fixture.loop.Advance(5s);
  fixture.UpdateToStop();
  fixture.loop.Advance(2s + 500ms);
  EXPECT_EQ(fixture.status().status, ClientStatus::kRunning) << "poststop runs";
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_LT(fixture.state("init").finished_at, fixture.state("main").finished_at);
  EXPECT_LT(fixture.state("main").finished_at, fixture.state("side").finished_at);
  EXPECT_LT(fixture.state("side").finished_at, fixture.state("stop").finished_at);
  EXPECT_EQ(fixture.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, AFailedPoststopFailsTheAllocation) {
  AllocFixture fixture;
  fixture.driver.On("stop").run_for = 1s;
  fixture.driver.On("stop").exit = ExitResult{3, 0, false, ""};
  fixture.AddTask("main");
  fixture.AddTask("stop", "stop");
  fixture.Start();
  fixture.UpdateToStop();
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.status().status, ClientStatus::kFailed);
}

TEST(AllocEndTest, APoststopTaskHasItsTurnAlsoWhenNothingIsLeftToEnd) {
  AllocFixture fixture;
  fixture.driver.On("stop").run_for = 1s;
  fixture.AddTask("stop", "stop");
  fixture.Start();
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.driver.TraceText(), "+stop -stop");
}

TEST(AllocEndTest, OfTheTasksOfAnAllocationThatHasEndedOnlyTheStatesAreKept) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.driver.On("main").run_for = 1s;
  fixture.AddTask("main");
  const long before = TaskRunner::live();
  fixture.Start();
  EXPECT_EQ(TaskRunner::live(), before + 1);
  EXPECT_TRUE(fixture.RunToEnd());
  fixture.loop.RunReady();
  EXPECT_EQ(TaskRunner::live(), before);
  EXPECT_EQ(fixture.Brief("main"), "dead/0");
  // Requests get the same answers as while the tasks had runners.
  const auto message = [&fixture](Co<Status> call) {
    return fixture.Wait(std::move(call)).error().message();
  };
  EXPECT_EQ(message(fixture.runner().RestartTask("main")), "Task not running");
  EXPECT_EQ(message(fixture.runner().RestartTask("nobody")),
            "Could not find task runner for task: nobody");
  EXPECT_EQ(message(fixture.runner().RestartAll()), "restart of an alloc that should not run");
  EXPECT_EQ(message(fixture.runner().Signal("main", "SIGHUP")), "Task not running");
  EXPECT_EQ(message(fixture.runner().Signal("nobody", "SIGHUP")), "Task not found");
  EXPECT_EQ(message(fixture.runner().Signal("", "SIGHUP")),
            "Failed to signal task: main, err: Task not running");
  fixture.UpdateToStop();
  fixture.runner().Kill();
  EXPECT_EQ(fixture.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, NobodysTurnComesWhileTasksAreStopped) {
  AllocFixture fixture;
  fixture.driver.On("leader").stop_delay = 5s;
  fixture.driver.On("once").run_for = 1s;
  fixture.driver.On("slow").start_delay = 2s;
  fixture.AddTask("leader").leader = true;
  fixture.AddTask("slow");  // runs while the leader ends: now the poststart task could start
  fixture.AddTask("once", "post");
  fixture.Start();
  fixture.runner().Kill();  // the tasks' allocation still says that they should run
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.driver.Count("start once"), 0);
}

TEST(AllocEndTest, TheGroupsShutdownDelayComesBeforeTheFirstKill) {
  AllocFixture fixture;
  fixture.group().shutdown_delay = 7s;
  fixture.AddTask("main");
  fixture.Start();
  fixture.UpdateToStop();
  fixture.loop.Advance(6999ms);
  EXPECT_EQ(fixture.driver.running("main"), 1);
  EXPECT_EQ(fixture.Events("main").back(), "Started");
  fixture.loop.Advance(1ms);
  EXPECT_TRUE(fixture.runner().ended());
}

TEST(AllocEndTest, AnUpdateMayDropTheShutdownDelay) {
  AllocFixture fixture;
  fixture.group().shutdown_delay = 10min;
  fixture.AddTask("main").shutdown_delay = 10min;
  fixture.Start();
  fixture.UpdateToStop();
  fixture.loop.Advance(1s);
  EXPECT_FALSE(fixture.runner().ended());
  Allocation alloc = fixture.NextAlloc();
  alloc.no_shutdown_delay = true;
  fixture.Update(alloc);
  fixture.loop.RunReady();
  EXPECT_TRUE(fixture.runner().ended());
}

TEST(AllocEndTest, NoDelayWhenTheTasksHaveEndedByThemselves) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.group().shutdown_delay = 10min;
  fixture.driver.On("main").run_for = 1s;
  fixture.AddTask("main");
  fixture.Start();
  fixture.loop.Advance(1s);
  EXPECT_TRUE(fixture.runner().ended());
}

TEST(AllocEndTest, MaxRunDurationEndsEverythingAndIsNoFailure) {
  AllocFixture fixture;
  fixture.group().max_run_duration = 1min;
  fixture.driver.On("main").stopped_exit = ExitResult{143, 15, false, ""};
  fixture.AddTask("main");
  fixture.AddTask("side", "side");
  fixture.AddTask("stop", "stop");
  fixture.Start();
  fixture.loop.Advance(59s);
  EXPECT_EQ(fixture.status().status, ClientStatus::kRunning);
  fixture.loop.Advance(1s);
  EXPECT_TRUE(fixture.runner().ended());
  EXPECT_EQ(fixture.status(),
            (AllocStatus{ClientStatus::kComplete, "allocation exceeded max_run_duration"}));
  EXPECT_EQ(fixture.driver.Count("start stop"), 0);
  EXPECT_EQ(fixture.Events("stop"), (Types{"Received", "Killing"}));
  EXPECT_EQ(fixture.state("stop").events.back()->Detail(event_key::kKillReason),
            "allocation exceeded max_run_duration");
  EXPECT_EQ(fixture.Events("main"), kStopped);
}

TEST(AllocEndTest, MaxRunDurationEndsAPoststopThatHangs) {
  AllocFixture fixture;
  fixture.group().max_run_duration = 1min;
  fixture.AddTask("main");
  fixture.AddTask("stop", "stop");
  fixture.Start();
  fixture.loop.Advance(30s);
  fixture.UpdateToStop();
  fixture.loop.Advance(29s);
  EXPECT_EQ(fixture.Brief("stop"), "running/0");
  fixture.loop.Advance(1s);
  EXPECT_TRUE(fixture.runner().ended());
  EXPECT_EQ(fixture.status().description, "allocation exceeded max_run_duration");
}

TEST(AllocEndTest, AStopLetsAPoststopTaskTakeItsTime) {
  AllocFixture fixture;
  fixture.driver.On("stop").run_for = 30min;
  fixture.AddTask("main");
  fixture.AddTask("stop", "stop");
  fixture.Start();
  fixture.UpdateToStop();
  fixture.loop.Advance(29min);
  EXPECT_EQ(fixture.Brief("stop"), "running/0");
  EXPECT_TRUE(fixture.RunToEnd());
  EXPECT_EQ(fixture.Events("stop"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
}

TEST(AllocEndTest, DestroyGivesAPoststopTaskItsKillTimeoutAndThenKillsIt) {
  AllocFixture fixture;
  fixture.driver.On("main").stop_delay = 2s;
  fixture.driver.On("stop").ignores_signal = true;
  fixture.AddTask("main");
  fixture.AddTask("stop", "stop").kill_timeout = 10s;
  fixture.AddTask("quick", "stop");
  fixture.driver.On("quick").run_for = 1s;
  fixture.Start();
  const TimePoint begin = fixture.loop.Now();
  bool destroyed = false;
  auto destroy = [](LocalAllocRunner* runner, bool* out) -> Co<void> {
    *out = (co_await runner->Destroy()).ok();
  };
  fixture.loop.Spawn(destroy(&fixture.runner(), &destroyed));
  fixture.loop.Advance(11999ms);
  EXPECT_EQ(fixture.driver.Count("stop stop"), 0);
  fixture.loop.Advance(1ms);
  EXPECT_EQ(fixture.driver.Count("stop stop"), 1) << "ten seconds after its turn came";
  EXPECT_FALSE(destroyed);
  EXPECT_TRUE(fixture.loop.RunUntil([&destroyed] { return destroyed; }, 1min));
  EXPECT_GE(fixture.loop.Now() - begin, 2s + 10s + 10s);
  EXPECT_LT(fixture.loop.Now() - begin, 2s + 10s + 10s + 1s);
  EXPECT_EQ(fixture.Events("stop"), kStopped);
  EXPECT_EQ(fixture.Events("quick"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
  fixture.Forget();
}

TEST(AllocEndTest, DestroyEndsAPoststopTaskThatIsRestartedWithoutEnd) {
  AllocFixture fixture;
  fixture.group().restart_policy = RestartPolicy();
  fixture.group().restart_policy.attempts = 1;
  fixture.group().restart_policy.interval = 1h;
  fixture.group().restart_policy.delay = 15s;
  fixture.group().restart_policy.mode = RestartPolicy::Mode::kDelay;
  fixture.driver.On("stop").run_for = 1s;
  fixture.driver.On("stop").exit = ExitResult{1, 0, false, ""};
  fixture.AddTask("main");
  fixture.AddTask("stop", "stop");
  fixture.Start();
  fixture.UpdateToStop();
  fixture.loop.Advance(5h);
  EXPECT_FALSE(fixture.runner().ended()) << "the policy never gives up";
  const TimePoint begin = fixture.loop.Now();
  EXPECT_TRUE(fixture.Wait(fixture.runner().Destroy()).ok());
  EXPECT_LE(fixture.loop.Now() - begin, 10s);
  EXPECT_EQ(fixture.Brief("stop").substr(0, 5), "dead/");
  fixture.Forget();
}

TEST(AllocEndTest, AShutdownEndsADestroyThatWaitsForAPoststopTask) {
  AllocFixture fixture;
  fixture.AddTask("main");
  fixture.AddTask("stop", "stop").kill_timeout = 10s;
  fixture.Start();
  Status destroyed;
  bool shut_down = false;
  auto destroy = [](LocalAllocRunner* runner, Status* out) -> Co<void> {
    *out = co_await runner->Destroy();
  };
  auto shutdown = [](LocalAllocRunner* runner, bool* out) -> Co<void> {
    co_await runner->Shutdown();
    *out = true;
  };
  fixture.loop.Spawn(destroy(&fixture.runner(), &destroyed));
  fixture.loop.Advance(1s);
  EXPECT_EQ(fixture.Brief("stop"), "running/0");
  fixture.loop.Spawn(shutdown(&fixture.runner(), &shut_down));
  fixture.loop.RunReady();
  EXPECT_TRUE(shut_down);
  EXPECT_EQ(destroyed.code(), Code::kUnavailable) << "the task runs, so its files must stay";
  EXPECT_EQ(fixture.loop.live_timers(), 0u);
  EXPECT_TRUE(fixture.disk.built);
  fixture.driver.End("stop", ExitResult());
  fixture.Forget();
}

TEST(AllocEndTest, StoppingTwiceAddsNoSecondKill) {
  AllocFixture fixture;
  fixture.driver.On("main").stop_delay = 3s;
  fixture.AddTask("main");
  fixture.AddTask("other");
  fixture.Start();
  fixture.UpdateToStop();
  fixture.loop.Advance(1s);
  fixture.UpdateToStop();
  const Status destroyed = fixture.Wait(fixture.runner().Destroy());
  EXPECT_TRUE(destroyed.ok());
  EXPECT_EQ(fixture.Events("main"), kStopped);
  fixture.Forget();
}

}  // namespace
}  // namespace drover
