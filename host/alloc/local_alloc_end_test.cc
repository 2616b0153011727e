// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How allocations end: which tasks are killed when others end, in which order, and what their
// events say.
#include <gtest/gtest.h>

#include "host/alloc/alloc_bench.h"

namespace drover {
namespace {

using Types = std::vector<std::string>;

const Types kStopped = {"Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"};

// The events of a task that was killed for REASON.
Types KilledFor(const std::string& reason) {
  return {"Received", "Task Setup", "Started", reason, "Killing", "Terminated", "Killed"};
}

TEST(AllocEndTest, StopOfARunningTask) {
  AllocBench bench;
  bench.AddTask("main");
  bench.Start();
  EXPECT_EQ(bench.status(), (AllocStatus{ClientStatus::kRunning, "Tasks are running"}));
  bench.UpdateToStop();
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("main"), kStopped);
  EXPECT_EQ(bench.status(), (AllocStatus{ClientStatus::kComplete, "All tasks have completed"}));
}

TEST(AllocEndTest, SecretsGoWhenTheLastTaskHasEndedForGood) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.AddTask("first");
  bench.AddTask("second");
  bench.Start();
  bench.driver.End("first", ExitResult());
  bench.loop.Advance(1h);
  EXPECT_EQ(bench.disk.drops, 0) << "it may be started again with the others";
  bench.driver.End("second", ExitResult());
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.disk.drops, 1);
  EXPECT_EQ(bench.disk.destroys, 0) << "its files stay";
}

TEST(AllocEndTest, AnAgentThatEndsLeavesTheSecrets) {
  AllocBench bench;
  bench.AddTask("main");
  bench.Start();
  EXPECT_TRUE(bench.loop.RunToEnd(bench.runner().Shutdown()));
  EXPECT_TRUE(bench.runner().ended());
  EXPECT_EQ(bench.disk.drops, 0);
  bench.driver.End("main", ExitResult());
  bench.Forget();
}

TEST(AllocEndTest, AFailedTaskEndsItsSiblings) {
  AllocBench bench;
  bench.AddTask("bad");
  bench.AddTask("good");
  bench.Start();
  bench.driver.End("bad", ExitResult{1, 0, false, ""});
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("good"), KilledFor("Sibling Task Failed"));
  EXPECT_EQ(bench.Events("bad"),
            (Types{"Received", "Task Setup", "Started", "Terminated", "Not Restarting"}));
  const TaskEvent& event = bench.state("good").events[3];
  EXPECT_EQ(event.Detail(event_key::kFailedSibling), "bad");
  EXPECT_EQ(bench.status(), (AllocStatus{ClientStatus::kFailed, "Failed tasks"}));
}

TEST(AllocEndTest, ATaskThatEndsWellDoesNotEndItsSiblings) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.AddTask("first");
  bench.AddTask("second");
  bench.Start();
  bench.driver.End("first", ExitResult());
  bench.loop.Advance(1h);
  EXPECT_EQ(bench.Brief("second"), "running/0");
  EXPECT_FALSE(bench.runner().ended());
  bench.driver.End("second", ExitResult());
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("first"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
  EXPECT_EQ(bench.status(), (AllocStatus{ClientStatus::kComplete, "All tasks have completed"}));
}

TEST(AllocEndTest, ADeadLeaderEndsTheOthers) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.AddTask("leader").leader = true;
  bench.AddTask("other");
  bench.AddTask("side", "side");
  bench.Start();
  bench.driver.End("leader", ExitResult());
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("other"), KilledFor("Leader Task Dead"));
  EXPECT_EQ(bench.Events("side"), KilledFor("Leader Task Dead"));
  EXPECT_EQ(bench.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, SidecarsEndWithTheMainTasks) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.AddTask("main");
  bench.AddTask("before", "side");
  bench.AddTask("after", "postside");
  bench.Start();
  bench.driver.End("main", ExitResult());
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("before"), KilledFor("Main Tasks Dead"));
  EXPECT_EQ(bench.Events("after"), KilledFor("Main Tasks Dead"));
  EXPECT_EQ(bench.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, ATaskKilledBeforeItsFirstStartWasNeverStarted) {
  AllocBench bench;
  bench.AddTask("init", "init");
  bench.AddTask("main");
  bench.Start();
  bench.UpdateToStop();
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("main"), (Types{"Received", "Killing"}));
  EXPECT_EQ(bench.Brief("main"), "dead/0");
  EXPECT_NE(bench.state("main").finished_at, 0);
  EXPECT_EQ(bench.driver.Count("start main"), 0);
}

TEST(AllocEndTest, AOneShotThatIsDeadAlreadyIsNotKilled) {
  AllocBench bench;
  bench.driver.On("init").run_for = 1s;
  bench.AddTask("init", "init");
  bench.AddTask("main");
  bench.Start();
  bench.loop.Advance(2s);
  bench.UpdateToStop();
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("init").back(), "Terminated");
}

TEST(AllocEndTest, LeaderThenOthersThenSidecarsThenPoststop) {
  AllocBench bench;
  for (const char* name : {"leader", "a", "b", "side"}) bench.driver.On(name).stop_delay = 2s;
  bench.driver.On("stop").run_for = 1s;
  bench.AddTask("side", "side");
  bench.AddTask("stop", "stop");
  bench.AddTask("a");
  bench.AddTask("leader").leader = true;
  bench.AddTask("b");
  bench.Start();
  bench.driver.trace.clear();
  const TimePoint begin = bench.loop.Now();
  bench.UpdateToStop();
  EXPECT_TRUE(bench.RunToEnd());
  const std::string trace = bench.driver.TraceText();
  EXPECT_TRUE(trace == "-leader -a -b -side +stop -stop" ||
              trace == "-leader -b -a -side +stop -stop")
      << trace;
  // The two in the middle are stopped at the same time.
  EXPECT_EQ(bench.loop.Now() - begin, 2s + 2s + 2s + 1s);
  EXPECT_LT(bench.state("leader").finished_at, bench.state("a").finished_at);
  EXPECT_LT(bench.state("b").finished_at, bench.state("side").finished_at);
  EXPECT_LT(bench.state("side").finished_at, bench.state("stop").finished_at);
}

TEST(AllocEndTest, OneShotsMainTasksSidecarsPoststopFinishInThisOrder) {
  AllocBench bench;
  bench.driver.On("init").run_for = 1s;
  bench.driver.On("stop").run_for = 1s;
  for (const char* name : {"main", "side"}) bench.driver.On(name).stop_delay = 1s;
  bench.AddTask("main");
  bench.AddTask("init", "init");
  bench.AddTask("side", "side");
  bench.AddTask("stop", "stop");
  bench.Start();
  bench.loop.Advance(5s);
  bench.UpdateToStop();
  bench.loop.Advance(2s + 500ms);
  EXPECT_EQ(bench.status().status, ClientStatus::kRunning) << "poststop runs";
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_LT(bench.state("init").finished_at, bench.state("main").finished_at);
  EXPECT_LT(bench.state("main").finished_at, bench.state("side").finished_at);
  EXPECT_LT(bench.state("side").finished_at, bench.state("stop").finished_at);
  EXPECT_EQ(bench.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, AFailedPoststopFailsTheAllocation) {
  AllocBench bench;
  bench.driver.On("stop").run_for = 1s;
  bench.driver.On("stop").exit = ExitResult{3, 0, false, ""};
  bench.AddTask("main");
  bench.AddTask("stop", "stop");
  bench.Start();
  bench.UpdateToStop();
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.status().status, ClientStatus::kFailed);
}

TEST(AllocEndTest, APoststopTaskHasItsTurnAlsoWhenNothingIsLeftToEnd) {
  AllocBench bench;
  bench.driver.On("stop").run_for = 1s;
  bench.AddTask("stop", "stop");
  bench.Start();
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.driver.TraceText(), "+stop -stop");
}

TEST(AllocEndTest, OfTheTasksOfAnAllocationThatHasEndedOnlyTheStatesAreKept) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.driver.On("main").run_for = 1s;
  bench.AddTask("main");
  const long before = TaskRunner::live();
  bench.Start();
  EXPECT_EQ(TaskRunner::live(), before + 1);
  EXPECT_TRUE(bench.RunToEnd());
  bench.loop.RunReady();
  EXPECT_EQ(TaskRunner::live(), before);
  EXPECT_EQ(bench.Brief("main"), "dead/0");
  // Requests get the same answers as while the tasks had runners.
  const auto message = [&bench](Co<Status> call) {
    return bench.Wait(std::move(call)).error().message();
  };
  EXPECT_EQ(message(bench.runner().RestartTask("main")), "Task not running");
  EXPECT_EQ(message(bench.runner().RestartTask("nobody")),
            "Could not find task runner for task: nobody");
  EXPECT_EQ(message(bench.runner().RestartAll()), "restart of an alloc that should not run");
  EXPECT_EQ(message(bench.runner().Signal("main", "SIGHUP")), "Task not running");
  EXPECT_EQ(message(bench.runner().Signal("nobody", "SIGHUP")), "Task not found");
  EXPECT_EQ(message(bench.runner().Signal("", "SIGHUP")),
            "Failed to signal task: main, err: Task not running");
  bench.UpdateToStop();
  bench.runner().Kill();
  EXPECT_EQ(bench.status().status, ClientStatus::kComplete);
}

TEST(AllocEndTest, NobodysTurnComesWhileTasksAreStopped) {
  AllocBench bench;
  bench.driver.On("leader").stop_delay = 5s;
  bench.driver.On("once").run_for = 1s;
  bench.driver.On("slow").start_delay = 2s;
  bench.AddTask("leader").leader = true;
  bench.AddTask("slow");  // runs while the leader ends: now the poststart task could start
  bench.AddTask("once", "post");
  bench.Start();
  bench.runner().Kill();  // the tasks' allocation still says that they should run
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.driver.Count("start once"), 0);
}

TEST(AllocEndTest, TheGroupsShutdownDelayComesBeforeTheFirstKill) {
  AllocBench bench;
  bench.group().shutdown_delay = 7s;
  bench.AddTask("main");
  bench.Start();
  bench.UpdateToStop();
  bench.loop.Advance(6999ms);
  EXPECT_EQ(bench.driver.running("main"), 1);
  EXPECT_EQ(bench.Events("main").back(), "Started");
  bench.loop.Advance(1ms);
  EXPECT_TRUE(bench.runner().ended());
}

TEST(AllocEndTest, AnUpdateMayDropTheShutdownDelay) {
  AllocBench bench;
  bench.group().shutdown_delay = 10min;
  bench.AddTask("main").shutdown_delay = 10min;
  bench.Start();
  bench.UpdateToStop();
  bench.loop.Advance(1s);
  EXPECT_FALSE(bench.runner().ended());
  Allocation alloc = bench.NextAlloc();
  alloc.no_shutdown_delay = true;
  bench.Update(alloc);
  bench.loop.RunReady();
  EXPECT_TRUE(bench.runner().ended());
}

TEST(AllocEndTest, NoDelayWhenTheTasksHaveEndedByThemselves) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.group().shutdown_delay = 10min;
  bench.driver.On("main").run_for = 1s;
  bench.AddTask("main");
  bench.Start();
  bench.loop.Advance(1s);
  EXPECT_TRUE(bench.runner().ended());
}

TEST(AllocEndTest, MaxRunDurationEndsEverythingAndIsNoFailure) {
  AllocBench bench;
  bench.group().max_run_duration = 1min;
  bench.driver.On("main").stopped_exit = ExitResult{143, 15, false, ""};
  bench.AddTask("main");
  bench.AddTask("side", "side");
  bench.AddTask("stop", "stop");
  bench.Start();
  bench.loop.Advance(59s);
  EXPECT_EQ(bench.status().status, ClientStatus::kRunning);
  bench.loop.Advance(1s);
  EXPECT_TRUE(bench.runner().ended());
  EXPECT_EQ(bench.status(),
            (AllocStatus{ClientStatus::kComplete, "allocation exceeded max_run_duration"}));
  EXPECT_EQ(bench.driver.Count("start stop"), 0);
  EXPECT_EQ(bench.Events("stop"), (Types{"Received", "Killing"}));
  EXPECT_EQ(bench.state("stop").events.back()->Detail(event_key::kKillReason),
            "allocation exceeded max_run_duration");
  EXPECT_EQ(bench.Events("main"), kStopped);
}

TEST(AllocEndTest, MaxRunDurationEndsAPoststopThatHangs) {
  AllocBench bench;
  bench.group().max_run_duration = 1min;
  bench.AddTask("main");
  bench.AddTask("stop", "stop");
  bench.Start();
  bench.loop.Advance(30s);
  bench.UpdateToStop();
  bench.loop.Advance(29s);
  EXPECT_EQ(bench.Brief("stop"), "running/0");
  bench.loop.Advance(1s);
  EXPECT_TRUE(bench.runner().ended());
  EXPECT_EQ(bench.status().description, "allocation exceeded max_run_duration");
}

TEST(AllocEndTest, AStopLetsAPoststopTaskTakeItsTime) {
  AllocBench bench;
  bench.driver.On("stop").run_for = 30min;
  bench.AddTask("main");
  bench.AddTask("stop", "stop");
  bench.Start();
  bench.UpdateToStop();
  bench.loop.Advance(29min);
  EXPECT_EQ(bench.Brief("stop"), "running/0");
  EXPECT_TRUE(bench.RunToEnd());
  EXPECT_EQ(bench.Events("stop"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
}

TEST(AllocEndTest, DestroyGivesAPoststopTaskItsKillTimeoutAndThenKillsIt) {
  AllocBench bench;
  bench.driver.On("main").stop_delay = 2s;
  bench.driver.On("stop").ignores_signal = true;
  bench.AddTask("main");
  bench.AddTask("stop", "stop").kill_timeout = 10s;
  bench.AddTask("quick", "stop");
  bench.driver.On("quick").run_for = 1s;
  bench.Start();
  const TimePoint begin = bench.loop.Now();
  bool destroyed = false;
  auto destroy = [](LocalAllocRunner* runner, bool* out) -> Co<void> {
    *out = (co_await runner->Destroy()).ok();
  };
  bench.loop.Spawn(destroy(&bench.runner(), &destroyed));
  bench.loop.Advance(11999ms);
  EXPECT_EQ(bench.driver.Count("stop stop"), 0);
  bench.loop.Advance(1ms);
  EXPECT_EQ(bench.driver.Count("stop stop"), 1) << "ten seconds after its turn came";
  EXPECT_FALSE(destroyed);
  EXPECT_TRUE(bench.loop.RunUntil([&destroyed] { return destroyed; }, 1min));
  EXPECT_GE(bench.loop.Now() - begin, 2s + 10s + 10s);
  EXPECT_LT(bench.loop.Now() - begin, 2s + 10s + 10s + 1s);
  EXPECT_EQ(bench.Events("stop"), kStopped);
  EXPECT_EQ(bench.Events("quick"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
  bench.Forget();
}

TEST(AllocEndTest, DestroyEndsAPoststopTaskThatIsRestartedWithoutEnd) {
  AllocBench bench;
  bench.group().restart_policy = RestartPolicy();
  bench.group().restart_policy.attempts = 1;
  bench.group().restart_policy.interval = 1h;
  bench.group().restart_policy.delay = 15s;
  bench.group().restart_policy.mode = RestartPolicy::Mode::kDelay;
  bench.driver.On("stop").run_for = 1s;
  bench.driver.On("stop").exit = ExitResult{1, 0, false, ""};
  bench.AddTask("main");
  bench.AddTask("stop", "stop");
  bench.Start();
  bench.UpdateToStop();
  bench.loop.Advance(5h);
  EXPECT_FALSE(bench.runner().ended()) << "the policy never gives up";
  const TimePoint begin = bench.loop.Now();
  EXPECT_TRUE(bench.Wait(bench.runner().Destroy()).ok());
  EXPECT_LE(bench.loop.Now() - begin, 10s);
  EXPECT_EQ(bench.Brief("stop").substr(0, 5), "dead/");
  bench.Forget();
}

TEST(AllocEndTest, AShutdownEndsADestroyThatWaitsForAPoststopTask) {
  AllocBench bench;
  bench.AddTask("main");
  bench.AddTask("stop", "stop").kill_timeout = 10s;
  bench.Start();
  Status destroyed;
  bool shut_down = false;
  auto destroy = [](LocalAllocRunner* runner, Status* out) -> Co<void> {
    *out = co_await runner->Destroy();
  };
  auto shutdown = [](LocalAllocRunner* runner, bool* out) -> Co<void> {
    co_await runner->Shutdown();
    *out = true;
  };
  bench.loop.Spawn(destroy(&bench.runner(), &destroyed));
  bench.loop.Advance(1s);
  EXPECT_EQ(bench.Brief("stop"), "running/0");
  bench.loop.Spawn(shutdown(&bench.runner(), &shut_down));
  bench.loop.RunReady();
  EXPECT_TRUE(shut_down);
  EXPECT_EQ(destroyed.code(), Code::kUnavailable) << "the task runs, so its files must stay";
  EXPECT_EQ(bench.loop.live_timers(), 0u);
  EXPECT_TRUE(bench.disk.built);
  bench.driver.End("stop", ExitResult());
  bench.Forget();
}

TEST(AllocEndTest, StoppingTwiceAddsNoSecondKill) {
  AllocBench bench;
  bench.driver.On("main").stop_delay = 3s;
  bench.AddTask("main");
  bench.AddTask("other");
  bench.Start();
  bench.UpdateToStop();
  bench.loop.Advance(1s);
  bench.UpdateToStop();
  const Status destroyed = bench.Wait(bench.runner().Destroy());
  EXPECT_TRUE(destroyed.ok());
  EXPECT_EQ(bench.Events("main"), kStopped);
  bench.Forget();
}

}  // namespace
}  // namespace drover
