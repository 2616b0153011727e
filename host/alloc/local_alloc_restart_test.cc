// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Restarts and signals that clients request.
#include <gtest/gtest.h>

#include "host/alloc/alloc_fixture.h"

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
    fixture_.job().type = GetParam().type;
    fixture_.group().restart_policy = {1, 30min, 15s, RestartPolicy::Mode::kFail};
    for (const char* name : {"init", "post", "stop"}) fixture_.driver.On(name).run_for = 1s;
    fixture_.AddTask("main").leader = GetParam().leader;
    fixture_.AddTask("init", "init");
    fixture_.AddTask("side", "side");
    fixture_.AddTask("post", "post");
    fixture_.AddTask("postside", "postside");
    fixture_.AddTask("stop", "stop");
    fixture_.Start();
    fixture_.loop.Advance(10s);
    Expect("running/0", "dead/0", "running/0", "dead/0", "running/0", "pending/0");
  }

  void Expect(const std::string& main, const std::string& init, const std::string& side,
              const std::string& post, const std::string& postside, const std::string& stop) {
    fixture_.loop.Advance(10s);
    EXPECT_EQ(fixture_.Brief("main"), main);
    EXPECT_EQ(fixture_.Brief("init"), init);
    EXPECT_EQ(fixture_.Brief("side"), side);
    EXPECT_EQ(fixture_.Brief("post"), post);
    EXPECT_EQ(fixture_.Brief("postside"), postside);
    EXPECT_EQ(fixture_.Brief("stop"), stop);
  }
  void ExpectOk(Co<Status> call) {
    const Status status = fixture_.Wait(std::move(call));
    EXPECT_TRUE(status.ok()) << status.error().message();
  }
  void ExpectError(Co<Status> call, const std::string& text) {
    const Status status = fixture_.Wait(std::move(call));
    ASSERT_FALSE(status.ok()) << "expected: " << text;
    EXPECT_EQ(status.error().message(), text);
  }
  std::string LastReason(const std::string& task) {
    std::string reason;
    for (const TaskEvent& event : fixture_.state(task).events) {
      if (event.type == event_type::kRestartSignaled) {
        reason = event.Detail(event_key::kRestartReason);
      }
    }
    return reason;
  }

  AllocFixture fixture_;
};

INSTANTIATE_TEST_SUITE_P(All, AllocRestartTest,
                         testing::Values(Variant{"service", JobType::kService, false},
                                         Variant{"batch", JobType::kBatch, false},
                                         Variant{"leader", JobType::kService, true}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(AllocRestartTest, All) {
  fixture_.driver.trace.clear();
  ExpectOk(fixture_.runner().RestartAll());
  Expect("running/1", "dead/1", "running/1", "dead/1", "running/1", "pending/0");
  EXPECT_EQ(LastReason("main"), "User requested all tasks to restart");
  EXPECT_EQ(LastReason("init"), "User requested all tasks to restart");
  // Again in the order of a first start.
  const std::string trace = fixture_.driver.TraceText();
  const auto at = [&trace](const std::string& what) {
    EXPECT_NE(trace.find(what), std::string::npos) << what << " in " << trace;
    return trace.find(what);
  };
  EXPECT_LT(at("-init"), at("+main"));
  EXPECT_LT(at("+side"), at("+main"));
  EXPECT_LT(at("+main"), at("+post"));
}

TEST_P(AllocRestartTest, AllTwice) {
  ExpectOk(fixture_.runner().RestartAll());
  fixture_.loop.Advance(10s);
  ExpectOk(fixture_.runner().RestartAll());
  Expect("running/2", "dead/2", "running/2", "dead/2", "running/2", "pending/0");
}

TEST_P(AllocRestartTest, Running) {
  ExpectOk(fixture_.runner().RestartRunning());
  Expect("running/1", "dead/0", "running/1", "dead/0", "running/1", "pending/0");
  EXPECT_EQ(LastReason("side"), "User requested running tasks to restart");
}

TEST_P(AllocRestartTest, MainAlone) {
  ExpectOk(fixture_.runner().RestartTask("main"));
  Expect("running/1", "dead/0", "running/0", "dead/0", "running/0", "pending/0");
  EXPECT_EQ(LastReason("main"), "User requested task to restart");
  EXPECT_EQ(LastReason("side"), "");
}

TEST_P(AllocRestartTest, SidecarAlone) {
  ExpectOk(fixture_.runner().RestartTask("side"));
  Expect("running/0", "dead/0", "running/1", "dead/0", "running/0", "pending/0");
}

TEST_P(AllocRestartTest, OnesThatDoNotRun) {
  ExpectError(fixture_.runner().RestartTask("init"), "Task not running");
  ExpectError(fixture_.runner().RestartTask("stop"), "Task not running");
  ExpectError(fixture_.runner().RestartTask("nobody"),
              "Could not find task runner for task: nobody");
  Expect("running/0", "dead/0", "running/0", "dead/0", "running/0", "pending/0");
}

TEST_P(AllocRestartTest, ServerStop) {
  fixture_.UpdateToStop();
  Expect("dead/0", "dead/0", "dead/0", "dead/0", "dead/0", "dead/0");
  EXPECT_EQ(fixture_.driver.Count("start stop"), 1);
  const std::string error = "restart of an alloc that should not run";
  ExpectError(fixture_.runner().RestartAll(), error);
  ExpectError(fixture_.runner().RestartRunning(), error);
  ExpectError(fixture_.runner().RestartTask("main"), error);
}

TEST_P(AllocRestartTest, MainFailsForGood) {
  for (const int round : {1, 2}) {
    fixture_.driver.End("main", ExitResult{1, 0, false, ""});
    fixture_.loop.Advance(20s);
    EXPECT_EQ(fixture_.Brief("main"), round == 1 ? "running/1" : "dead/1");
  }
  Expect("dead/1", "dead/0", "dead/0", "dead/0", "dead/0", "dead/0");
  EXPECT_EQ(fixture_.driver.Count("start stop"), 1);
  ExpectError(fixture_.runner().RestartTask("main"), "Task not running");
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
  EXPECT_TRUE(fixture_.runner().ended());
}

TEST_P(AllocRestartTest, MainOfAServiceEndsWellTooOften) {
  if (GetParam().type != JobType::kService) {
    GTEST_SKIP() << "a batch task that ends well is done";
  }
  for (int round = 0; round < 2; ++round) {
    fixture_.driver.End("main", ExitResult());
    fixture_.loop.Advance(20s);
  }
  Expect("dead/1", "dead/0", "dead/0", "dead/0", "dead/0", "dead/0");
}

TEST_P(AllocRestartTest, RequestsDoNotCountAgainstThePolicy) {
  for (int round = 1; round <= 4; ++round) {
    ExpectOk(fixture_.runner().RestartTask("main"));
    fixture_.loop.RunReady();
    EXPECT_EQ(fixture_.Brief("main"), "running/" + std::to_string(round));
  }
}

TEST_P(AllocRestartTest, SignalOne) {
  ExpectOk(fixture_.runner().Signal("main", "SIGUSR1"));
  EXPECT_EQ(fixture_.driver.Count("signal main"), 1);
  const TaskEvent& event = fixture_.state("main").events.back();
  EXPECT_EQ(event.type, "Signaling");
  EXPECT_EQ(event.Detail(event_key::kSignal), "SIGUSR1");
  ExpectError(fixture_.runner().Signal("nobody", "SIGUSR1"), "Task not found");
  ExpectError(fixture_.runner().Signal("init", "SIGUSR1"), "Task not running");
  EXPECT_NE(fixture_.Events("init").back(), "Signaling");
}

TEST_P(AllocRestartTest, SignalAll) {
  ExpectError(fixture_.runner().Signal("", "SIGHUP"),
              "3 errors occurred: Failed to signal task: init, err: Task not running; "
              "Failed to signal task: post, err: Task not running; "
              "Failed to signal task: stop, err: Task not running");
  EXPECT_EQ(fixture_.driver.Count("signal "), 3);
}

TEST(AllocRestartOneTest, EveryRunningTaskCanBeSignalled) {
  AllocFixture fixture;
  fixture.AddTask("a");
  fixture.AddTask("b");
  fixture.Start();
  EXPECT_TRUE(fixture.Wait(fixture.runner().Signal("", "SIGHUP")).ok());
  EXPECT_EQ(fixture.driver.Count("signal "), 2);
}

TEST(AllocRestartOneTest, WhatTheDriverRefusesIsNamedWithItsTask) {
  AllocFixture fixture;
  FakeDriver::Script& script = fixture.driver.On("b");
  script.stop_error = Error(Code::kInternal, "the driver is on strike");
  script.force_kill_error = Error(Code::kInternal, "the kernel too");
  script.signal_error = Error(Code::kInvalidArgument, "no such signal");
  fixture.AddTask("a");
  fixture.AddTask("b");
  fixture.Start();
  const Status signalled = fixture.Wait(fixture.runner().Signal("", "SIGWHAT"));
  ASSERT_FALSE(signalled.ok());
  EXPECT_EQ(signalled.error().message(), "Failed to signal task: b, err: no such signal");
  const Status restarted = fixture.Wait(fixture.runner().RestartRunning());
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().message().rfind("failed to restart task b: ", 0), 0u)
      << restarted.error().message();
  EXPECT_EQ(fixture.Brief("a"), "running/1");
}

TEST(AllocRestartOneTest, ATaskThatCannotBeStoppedDoesNotHoldTheOthersOfARestart) {
  AllocFixture fixture;
  fixture.env.services.driver_timeout = 2s;
  FakeDriver::Script& script = fixture.driver.On("stuck");
  script.stop_error = Error(Code::kInternal, "the driver is on strike");
  script.force_kill_error = Error(Code::kInternal, "the kernel too");
  fixture.driver.On("init").run_for = 1s;
  fixture.AddTask("init", "init");
  fixture.AddTask("stuck");
  fixture.AddTask("main");
  fixture.Start();
  fixture.loop.Advance(5s);
  const Status restarted = fixture.Wait(fixture.runner().RestartAll());
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().message().rfind("failed to restart task stuck: ", 0), 0u)
      << restarted.error().message();
  fixture.loop.Advance(5s);
  EXPECT_EQ(fixture.Brief("stuck"), "running/0");
  EXPECT_EQ(fixture.Brief("init"), "dead/1");
  EXPECT_EQ(fixture.Brief("main"), "running/1");
  fixture.driver.On("stuck") = FakeDriver::Script();
  fixture.driver.End("stuck", ExitResult());
  fixture.loop.Advance(5s);
  EXPECT_EQ(fixture.Brief("stuck"), "running/1") << "its restart was requested";
}

TEST(AllocRestartOneTest, ATaskThatHasJustEndedIsRestartedWithTheOthers) {
  AllocFixture fixture;
  fixture.job().type = JobType::kBatch;
  fixture.env.services.driver_timeout = 2s;
  fixture.AddTask("a");
  fixture.AddTask("b");
  fixture.driver.On("b").destroy_blocks = true;
  fixture.Start();
  // The step after the end is decided only when the run has been destroyed.
  fixture.driver.End("b", ExitResult());
  fixture.loop.RunReady();
  ASSERT_EQ(fixture.Brief("b"), "running/0");
  const Status restarted = fixture.Wait(fixture.runner().RestartAll());
  EXPECT_TRUE(restarted.ok()) << restarted.error().message();
  fixture.driver.On("b") = FakeDriver::Script();
  fixture.loop.Advance(1min);
  EXPECT_EQ(fixture.Brief("a"), "running/1");
  EXPECT_EQ(fixture.Brief("b"), "running/1");
  fixture.Destroy(/*left_runs=*/1);  // the fake driver never finishes a destroy that has blocked
}

TEST(AllocRestartOneTest, ATaskThatIsJustStartingDoesNotHoldTheOthersOfARestart) {
  AllocFixture fixture;
  fixture.driver.On("a").stop_delay = 4s;
  fixture.driver.On("b").start_delay = 2s;
  fixture.AddTask("a");
  fixture.AddTask("b");
  fixture.Start();
  ASSERT_EQ(fixture.Brief("b"), "pending/0");
  const Status restarted = fixture.Wait(fixture.runner().RestartAll());
  EXPECT_TRUE(restarted.ok()) << restarted.error().message();
  fixture.loop.Advance(1min);
  EXPECT_EQ(fixture.Brief("a"), "running/1");
  EXPECT_EQ(fixture.Brief("b"), "running/0");
}

TEST(AllocRestartOneTest, ARestartGivesWayToAKill) {
  AllocFixture fixture;
  fixture.group().shutdown_delay = 10s;
  fixture.AddTask("main");
  fixture.Start();
  // The stop comes while the restart waits for the delay.
  Status restarted;
  auto restart = [](LocalAllocRunner* runner, Status* out) -> Co<void> {
    *out = co_await runner->RestartAll();
  };
  fixture.loop.Spawn(restart(&fixture.runner(), &restarted));
  fixture.loop.Advance(5s);
  fixture.UpdateToStop();
  EXPECT_TRUE(fixture.RunToEnd());
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().message(), "restart of an alloc that should not run");
  EXPECT_EQ(fixture.Brief("main"), "dead/0");
}

TEST(AllocRestartOneTest, DestroyWaitsForCallersThatAreInside) {
  AllocFixture fixture;
  fixture.AddTask("init", "init");
  fixture.AddTask("main");
  fixture.Start();
  // Waits for a task that has not started yet.
  Code code = Code::kOk;
  auto exec = [](AllocFixture* on, Code* out) -> Co<void> {
    ExecRequest request;
    request.command = {"true"};
    const Context context(&on->loop);
    const auto session = co_await on->runner().Exec(context, "main", std::move(request));
    *out = session.code();
  };
  fixture.loop.Spawn(exec(&fixture, &code));
  fixture.loop.RunReady();
  fixture.Destroy();
  EXPECT_NE(code, Code::kOk);
}

}  // namespace
}  // namespace drover
