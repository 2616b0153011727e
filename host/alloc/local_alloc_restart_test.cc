// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Restarts and signals that clients request.
#include <gtest/gtest.h>

#include "host/alloc/alloc_bench.h"

namespace drover {
namespace {

struct Variant {
  std::string name;
  JobType type;
  bool leader;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class AllocRestartTest : public testing::TestWithParam<Variant> {
 protected:
  AllocRestartTest() {
    bench_.job().type = GetParam().type;
    bench_.group().restart_policy = {1, 30min, 15s, RestartPolicy::Mode::kFail};
    for (const char* name : {"init", "post", "stop"}) bench_.driver.On(name).run_for = 1s;
    bench_.AddTask("main").leader = GetParam().leader;
    bench_.AddTask("init", "init");
    bench_.AddTask("side", "side");
    bench_.AddTask("post", "post");
    bench_.AddTask("postside", "postside");
    bench_.AddTask("stop", "stop");
    bench_.Start();
    bench_.loop.Advance(10s);
    Expect("running/0", "dead/0", "running/0", "dead/0", "running/0", "pending/0");
  }

  void Expect(const std::string& main, const std::string& init, const std::string& side,
              const std::string& post, const std::string& postside, const std::string& stop) {
    bench_.loop.Advance(10s);
    EXPECT_EQ(bench_.Brief("main"), main);
    EXPECT_EQ(bench_.Brief("init"), init);
    EXPECT_EQ(bench_.Brief("side"), side);
    EXPECT_EQ(bench_.Brief("post"), post);
    EXPECT_EQ(bench_.Brief("postside"), postside);
    EXPECT_EQ(bench_.Brief("stop"), stop);
  }
  void ExpectOk(Co<Status> call) {
    const Status status = bench_.Wait(std::move(call));
    EXPECT_TRUE(status.ok()) << status.error().message();
  }
  void ExpectError(Co<Status> call, const std::string& text) {
    const Status status = bench_.Wait(std::move(call));
    ASSERT_FALSE(status.ok()) << "expected: " << text;
    EXPECT_EQ(status.error().message(), text);
  }
  std::string LastReason(const std::string& task) {
    std::string reason;
    for (const TaskEvent& event : bench_.state(task).events) {
      if (event.type == event_type::kRestartSignaled) {
        reason = event.Detail(event_key::kRestartReason);
      }
    }
    return reason;
  }

  AllocBench bench_;
};

INSTANTIATE_TEST_SUITE_P(All, AllocRestartTest,
                         testing::Values(Variant{"service", JobType::kService, false},
                                         Variant{"batch", JobType::kBatch, false},
                                         Variant{"leader", JobType::kService, true}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(AllocRestartTest, All) {
  bench_.driver.trace.clear();
  ExpectOk(bench_.runner().RestartAll());
  Expect("running/1", "dead/1", "running/1", "dead/1", "running/1", "pending/0");
  EXPECT_EQ(LastReason("main"), "User requested all tasks to restart");
  EXPECT_EQ(LastReason("init"), "User requested all tasks to restart");
  // Again in the order of a first start.
  const std::string trace = bench_.driver.TraceText();
  const auto at = [&trace](const std::string& what) {
    EXPECT_NE(trace.find(what), std::string::npos) << what << " in " << trace;
    return trace.find(what);
  };
  EXPECT_LT(at("-init"), at("+main"));
  EXPECT_LT(at("+side"), at("+main"));
  EXPECT_LT(at("+main"), at("+post"));
}

TEST_P(AllocRestartTest, AllTwice) {
  ExpectOk(bench_.runner().RestartAll());
  bench_.loop.Advance(10s);
  ExpectOk(bench_.runner().RestartAll());
  Expect("running/2", "dead/2", "running/2", "dead/2", "running/2", "pending/0");
}

TEST_P(AllocRestartTest, Running) {
  ExpectOk(bench_.runner().RestartRunning());
  Expect("running/1", "dead/0", "running/1", "dead/0", "running/1", "pending/0");
  EXPECT_EQ(LastReason("side"), "User requested running tasks to restart");
}

TEST_P(AllocRestartTest, MainAlone) {
  ExpectOk(bench_.runner().RestartTask("main"));
  Expect("running/1", "dead/0", "running/0", "dead/0", "running/0", "pending/0");
  EXPECT_EQ(LastReason("main"), "User requested task to restart");
  EXPECT_EQ(LastReason("side"), "");
}

TEST_P(AllocRestartTest, SidecarAlone) {
  ExpectOk(bench_.runner().RestartTask("side"));
  Expect("running/0", "dead/0", "running/1", "dead/0", "running/0", "pending/0");
}

TEST_P(AllocRestartTest, OnesThatDoNotRun) {
  ExpectError(bench_.runner().RestartTask("init"), "Task not running");
  ExpectError(bench_.runner().RestartTask("stop"), "Task not running");
  ExpectError(bench_.runner().RestartTask("nobody"), "Could not find task runner for task: nobody");
  Expect("running/0", "dead/0", "running/0", "dead/0", "running/0", "pending/0");
}

TEST_P(AllocRestartTest, ServerStop) {
  bench_.UpdateToStop();
  Expect("dead/0", "dead/0", "dead/0", "dead/0", "dead/0", "dead/0");
  EXPECT_EQ(bench_.driver.Count("start stop"), 1);
  const std::string error = "restart of an alloc that should not run";
  ExpectError(bench_.runner().RestartAll(), error);
  ExpectError(bench_.runner().RestartRunning(), error);
  ExpectError(bench_.runner().RestartTask("main"), error);
}

TEST_P(AllocRestartTest, MainFailsForGood) {
  for (const int round : {1, 2}) {
    bench_.driver.End("main", ExitResult{1, 0, false, ""});
    bench_.loop.Advance(20s);
    EXPECT_EQ(bench_.Brief("main"), round == 1 ? "running/1" : "dead/1");
  }
  Expect("dead/1", "dead/0", "dead/0", "dead/0", "dead/0", "dead/0");
  EXPECT_EQ(bench_.driver.Count("start stop"), 1);
  ExpectError(bench_.runner().RestartTask("main"), "Task not running");
  EXPECT_EQ(bench_.status().status, ClientStatus::kFailed);
  EXPECT_TRUE(bench_.runner().ended());
}

TEST_P(AllocRestartTest, MainOfAServiceEndsWellTooOften) {
  if (GetParam().type != JobType::kService) {
    GTEST_SKIP() << "a batch task that ends well is done";
  }
  for (int round = 0; round < 2; ++round) {
    bench_.driver.End("main", ExitResult());
    bench_.loop.Advance(20s);
  }
  Expect("dead/1", "dead/0", "dead/0", "dead/0", "dead/0", "dead/0");
}

TEST_P(AllocRestartTest, RequestsDoNotCountAgainstThePolicy) {
  for (int round = 1; round <= 4; ++round) {
    ExpectOk(bench_.runner().RestartTask("main"));
    bench_.loop.RunReady();
    EXPECT_EQ(bench_.Brief("main"), "running/" + std::to_string(round));
  }
}

TEST_P(AllocRestartTest, SignalOne) {
  ExpectOk(bench_.runner().Signal("main", "SIGUSR1"));
  EXPECT_EQ(bench_.driver.Count("signal main"), 1);
  const TaskEvent& event = bench_.state("main").events.back();
  EXPECT_EQ(event.type, "Signaling");
  EXPECT_EQ(event.Detail(event_key::kSignal), "SIGUSR1");
  ExpectError(bench_.runner().Signal("nobody", "SIGUSR1"), "Task not found");
  ExpectError(bench_.runner().Signal("init", "SIGUSR1"), "Task not running");
  EXPECT_NE(bench_.Events("init").back(), "Signaling");
}

TEST_P(AllocRestartTest, SignalAll) {
  ExpectError(bench_.runner().Signal("", "SIGHUP"),
              "3 errors occurred: Failed to signal task: init, err: Task not running; "
              "Failed to signal task: post, err: Task not running; "
              "Failed to signal task: stop, err: Task not running");
  EXPECT_EQ(bench_.driver.Count("signal "), 3);
}

TEST(AllocRestartOneTest, EveryRunningTaskCanBeSignalled) {
  AllocBench bench;
  bench.AddTask("a");
  bench.AddTask("b");
  bench.Start();
  EXPECT_TRUE(bench.Wait(bench.runner().Signal("", "SIGHUP")).ok());
  EXPECT_EQ(bench.driver.Count("signal "), 2);
}

TEST(AllocRestartOneTest, WhatTheDriverRefusesIsNamedWithItsTask) {
  AllocBench bench;
  FakeDriver::Script& script = bench.driver.On("b");
  script.stop_error = Error(Code::kInternal, "the driver is on strike");
  script.force_kill_error = Error(Code::kInternal, "the kernel too");
  script.signal_error = Error(Code::kInvalidArgument, "no such signal");
  bench.AddTask("a");
  bench.AddTask("b");
  bench.Start();
  const Status signalled = bench.Wait(bench.runner().Signal("", "SIGWHAT"));
  ASSERT_FALSE(signalled.ok());
  EXPECT_EQ(signalled.error().message(), "Failed to signal task: b, err: no such signal");
  const Status restarted = bench.Wait(bench.runner().RestartRunning());
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().message().rfind("failed to restart task b: ", 0), 0u)
      << restarted.error().message();
  EXPECT_EQ(bench.Brief("a"), "running/1");
}

TEST(AllocRestartOneTest, ATaskThatCannotBeStoppedDoesNotHoldTheOthersOfARestart) {
  AllocBench bench;
  bench.env.task.driver_timeout = 2s;
  FakeDriver::Script& script = bench.driver.On("stuck");
  script.stop_error = Error(Code::kInternal, "the driver is on strike");
  script.force_kill_error = Error(Code::kInternal, "the kernel too");
  bench.driver.On("init").run_for = 1s;
  bench.AddTask("init", "init");
  bench.AddTask("stuck");
  bench.AddTask("main");
  bench.Start();
  bench.loop.Advance(5s);
  const Status restarted = bench.Wait(bench.runner().RestartAll());
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().message().rfind("failed to restart task stuck: ", 0), 0u)
      << restarted.error().message();
  bench.loop.Advance(5s);
  EXPECT_EQ(bench.Brief("stuck"), "running/0");
  EXPECT_EQ(bench.Brief("init"), "dead/1");
  EXPECT_EQ(bench.Brief("main"), "running/1");
  bench.driver.On("stuck") = FakeDriver::Script();
  bench.driver.End("stuck", ExitResult());
  bench.loop.Advance(5s);
  EXPECT_EQ(bench.Brief("stuck"), "running/1") << "its restart was requested";
}

TEST(AllocRestartOneTest, ATaskThatHasJustEndedIsRestartedWithTheOthers) {
  AllocBench bench;
  bench.job().type = JobType::kBatch;
  bench.env.task.driver_timeout = 2s;
  bench.AddTask("a");
  bench.AddTask("b");
  bench.driver.On("b").destroy_blocks = true;
  bench.Start();
  // The step after the end is decided only when the run has been destroyed.
  bench.driver.End("b", ExitResult());
  bench.loop.RunReady();
  ASSERT_EQ(bench.Brief("b"), "running/0");
  const Status restarted = bench.Wait(bench.runner().RestartAll());
  EXPECT_TRUE(restarted.ok()) << restarted.error().message();
  bench.driver.On("b") = FakeDriver::Script();
  bench.loop.Advance(1min);
  EXPECT_EQ(bench.Brief("a"), "running/1");
  EXPECT_EQ(bench.Brief("b"), "running/1");
  bench.Destroy(/*left_runs=*/1);  // the fake driver never finishes a destroy that has blocked
}

TEST(AllocRestartOneTest, ATaskThatIsJustStartingDoesNotHoldTheOthersOfARestart) {
  AllocBench bench;
  bench.driver.On("a").stop_delay = 4s;
  bench.driver.On("b").start_delay = 2s;
  bench.AddTask("a");
  bench.AddTask("b");
  bench.Start();
  ASSERT_EQ(bench.Brief("b"), "pending/0");
  const Status restarted = bench.Wait(bench.runner().RestartAll());
  EXPECT_TRUE(restarted.ok()) << restarted.error().message();
  bench.loop.Advance(1min);
  EXPECT_EQ(bench.Brief("a"), "running/1");
  EXPECT_EQ(bench.Brief("b"), "running/0");
}

TEST(AllocRestartOneTest, ARestartGivesWayToAKill) {
  AllocBench bench;
  bench.group().shutdown_delay = 10s;
  bench.AddTask("main");
  bench.Start();
  // The stop comes while the restart waits for the delay.
  Status restarted;
  auto restart = [](LocalAllocRunner* runner, Status* out) -> Co<void> {
    *out = co_await runner->RestartAll();
  };
  bench.loop.Spawn(restart(&bench.runner(), &restarted));
  bench.loop.Advance(5s);
  bench.UpdateToStop();
  EXPECT_TRUE(bench.RunToEnd());
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().message(), "restart of an alloc that should not run");
  EXPECT_EQ(bench.Brief("main"), "dead/0");
}

TEST(AllocRestartOneTest, DestroyWaitsForCallersThatAreInside) {
  AllocBench bench;
  bench.AddTask("init", "init");
  bench.AddTask("main");
  bench.Start();
  // Waits for a task that has not started yet.
  Code code = Code::kOk;
  auto exec = [](AllocBench* on, Code* out) -> Co<void> {
    ExecRequest request;
    request.command = {"true"};
    const Context context(&on->loop);
    const auto session = co_await on->runner().Exec(context, "main", std::move(request));
    *out = session.code();
  };
  bench.loop.Spawn(exec(&bench, &code));
  bench.loop.RunReady();
  bench.Destroy();
  EXPECT_NE(code, Code::kOk);
}

}  // namespace
}  // namespace drover
