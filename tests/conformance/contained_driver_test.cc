// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver in a process of its own that dies, stands still or is too slow. fault_matrix_test.cc
// tests each single fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "host/base/gate.h"
#include "host/process/mock_processes_for_test.h"
#include "tests/conformance/contained_fixture.h"
#include "tests/conformance/stop_process.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

using testing::HasSubstr;

class ContainedDriverTest : public ContainedFixture {
 protected:
  void KillProcess() { kill(contained()->status().pid, SIGKILL); }
  // Loads all plugins, with that test driver in a process of its own, and returns it.
  SupervisedDriver* LoadTestDriver(const std::string& name) {
    options_.plugins[1].file = TestPlugin(name);
    options_.plugins[1].isolation = "process";
    for (const PluginReport& report : Load()) EXPECT_EQ(report.message, "");
    return registry_->FindContained("test");
  }

  static std::string ReadProc(pid_t pid, const std::string& name) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool StopProcess(pid_t pid) {
    kill(pid, SIGSTOP);
    return Until([pid] { return HasStopped(pid); });
  }
  static bool HasLoaded(pid_t pid) {
    return ReadProc(pid, "maps").find("mock_driver.so") != std::string::npos;
  }
  // Ends the process, and stops a later process before it has loaded its code. Ends processes that
  // were faster, too.
  pid_t StopNextBeforeItHasLoaded() {
    pid_t pid = contained()->status().pid;
    for (int tries = 0; pid > 0 && tries < 20; ++tries) {
      const int before = launches();
      kill(pid, SIGKILL);
      const bool next =
          Until([&] { return launches() > before && contained()->status().pid != 0; });
      pid = contained()->status().pid;
      if (!next || !StopProcess(pid)) break;
      if (!HasLoaded(pid)) return pid;
    }
    return -1;
  }
};

TEST_F(ContainedDriverTest, WhoWaitsForATaskDoesNotHearOfADeath) {
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  RestoreComplete({});
  const auto task = Config(R"({"run_for":"1500ms","exit_code":7})");
  const Result<StartedTask> started = Await(contained()->Start(context_, task));
  ASSERT_TRUE(started.ok()) << started.error().message();
  Result<ExitResult> end = Error(Code::kInternal, "");
  bool over = false;
  Gate waiting(&loop_);
  const auto wait = [](SupervisedDriver* driver, Context context, RunId run, Result<ExitResult>* to,
                       bool* flag) -> Co<void> {
    *to = co_await driver->Wait(context, run);
    *flag = true;
  };
  waiting.Spawn(wait(contained(), context_, task->run_id, &end, &over));
  for (int round = 1; round <= 3; ++round) {
    EXPECT_TRUE(Until([&] { return Healthy() && launches() == round; }));
    KillProcess();
    EXPECT_TRUE(Until([&] { return launches() == round + 1; }));
    EXPECT_FALSE(over);
  }
  EXPECT_TRUE(Until([&] { return over; }));
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(end->exit_code, 7);
  Await(waiting.Close());
  EXPECT_THAT(last_end(), HasSubstr("(signal 9, Killed)"));
}

TEST_F(ContainedDriverTest, WhatItDoesNotKnowIsReleasedOnce) {
  testing::NiceMock<MockProcesses> processes;
  processes_ = &processes;
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const RunId run = RunId::Random();
  EXPECT_CALL(processes, Release(testing::_, run))
      .Times(2)  // by two calls
      .WillRepeatedly([](Context, RunId) -> Co<Status> { co_return Status(); });
  EXPECT_EQ(Await(contained()->Destroy(context_, run, false)).code(), Code::kNotFound);
  EXPECT_EQ(Await(contained()->Destroy(context_, run, true)).code(), Code::kNotFound);
  Await(registry_->Shutdown());
  registry_.reset();
}

// The run may be an earlier agent's, with a cgroup and a record of its end.
TEST_F(ContainedDriverTest, WhatItCouldNotRecoverIsReleased) {
  testing::NiceMock<MockProcesses> processes;
  processes_ = &processes;
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  for (const char* name : {"mock_driver", "test"}) {
    const auto task = Config("{}");
    TaskHandle strange;
    strange.driver = name;
    strange.state = "of another driver";
    Driver* const driver = registry_->Find(name);
    const Result<RecoveredTask> recovered = Await(driver->Recover(context_, task, strange));
    EXPECT_EQ(recovered.code(), Code::kInvalidArgument) << recovered.error().message();
    EXPECT_CALL(processes, Release(testing::_, task->run_id))
        .WillOnce([](Context, RunId) -> Co<Status> { co_return Status(); });
    EXPECT_EQ(Await(driver->Destroy(context_, task->run_id, true)).code(), Code::kNotFound) << name;
  }
  Await(registry_->Shutdown());
  registry_.reset();
}

TEST_F(ContainedDriverTest, AStartThatDiedWithItsProcessMayBeMadeAgain) {
  options_.limits.start = options_.limits.hold = 20s;
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const auto task = Config(R"({"run_for":"1h","start_block_for":"1h"})");
  Status said;
  bool over = false;
  Gate starting(&loop_);
  const auto start = [](SupervisedDriver* driver, Context context,
                        std::shared_ptr<const TaskConfig> config, Status* to,
                        bool* flag) -> Co<void> {
    const Result<StartedTask> started = co_await driver->Start(context, config);
    if (!started.ok()) *to = started.error();
    *flag = true;
  };
  starting.Spawn(start(contained(), context_, task, &said, &over));
  Until([] { return false; }, 100ms);
  KillProcess();
  EXPECT_TRUE(Until([&] { return over; }));
  // recover, with an empty handle, answered that the task was never started.
  EXPECT_EQ(said.code(), Code::kUnavailable);
  EXPECT_TRUE(said.error().recoverable());
  EXPECT_THAT(said.error().message(), HasSubstr("Killed"));
  Await(starting.Close());
  (void)Await(contained()->Destroy(context_, task->run_id, true));
}

// If each process dies in the recover of one run, the host leaves that run alone in the end, and
// the others have a driver.
TEST_F(ContainedDriverTest, ARunThatKillsEachProcessDoesNotTakeTheOthersWithIt) {
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const auto good = Config(R"({"run_for":"1h"})");
  const auto bad = Config(R"({"run_for":"1h","crash_in":"recover"})");
  ASSERT_TRUE(Await(contained()->Start(context_, good)).ok());
  ASSERT_TRUE(Await(contained()->Start(context_, bad)).ok());
  KillProcess();
  EXPECT_TRUE(Until([&] { return launches() >= 5 && Healthy(); }, 10s));
  EXPECT_THAT(log(), HasSubstr("is not recovered any more"));
  EXPECT_EQ(Await(contained()->Inspect(context_, good->run_id))->state, TaskState::kRunning);
  (void)Await(contained()->Destroy(context_, bad->run_id, true));
  EXPECT_TRUE(Await(contained()->Destroy(context_, good->run_id, true)).ok());
}

// The same if each process hangs in the recover of one run. That run goes on: no process has
// reported its end.
TEST_F(ContainedDriverTest, ARunThatNoNewProcessAnswersForRunsOn) {
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const auto good = Config(R"({"run_for":"1h"})");
  const auto bad = Config(R"({"run_for":"1h","silent_in":"recover"})");
  ASSERT_TRUE(Await(contained()->Start(context_, good)).ok());
  ASSERT_TRUE(Await(contained()->Start(context_, bad)).ok());
  std::optional<Result<ExitResult>> end;
  Context watch = context_.Child();
  Gate waiting(&loop_);
  const auto wait = [](SupervisedDriver* driver, Context context, RunId run,
                       std::optional<Result<ExitResult>>* to) -> Co<void> {
    *to = co_await driver->Wait(context, run);
  };
  waiting.Spawn(wait(contained(), watch, bad->run_id, &end));
  KillProcess();
  const auto given_up = [&] {
    return log().find("is not recovered any more") != std::string::npos;
  };
  EXPECT_TRUE(Until([&] { return end || (given_up() && Healthy()); }, 20s));
  EXPECT_FALSE(end) << end->error().message();
  EXPECT_THAT(last_end(), HasSubstr("recover has not answered within"));
  EXPECT_EQ(Await(contained()->Inspect(context_, good->run_id))->state, TaskState::kRunning);
  watch.Cancel();
  Await(waiting.Close());
  (void)Await(contained()->Destroy(context_, bad->run_id, true));
  EXPECT_TRUE(Await(contained()->Destroy(context_, good->run_id, true)).ok());
}

// The host asks again about a run while the driver does not know it yet. Waiters get its end.
TEST_F(ContainedDriverTest, ARunThatItCannotRecoverYetIsRecoveredLater) {
  options_.limits.hold = options_.limits.recover = 20s;
  SupervisedDriver* driver = LoadTestDriver("recover_later");
  ASSERT_NE(driver, nullptr);
  const auto task = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, task)).ok());
  std::optional<Result<ExitResult>> end;
  Gate waiting(&loop_);
  const auto wait = [](SupervisedDriver* on, Context context, RunId run,
                       std::optional<Result<ExitResult>>* to) -> Co<void> {
    *to = co_await on->Wait(context, run);
  };
  waiting.Spawn(wait(driver, context_, task->run_id, &end));
  kill(driver->status().pid, SIGKILL);
  ASSERT_TRUE(Until([&] { return driver->status().launches == 2 && driver->current(); }));
  EXPECT_THAT(log(), HasSubstr("cannot be recovered yet: its daemon is away"));
  EXPECT_EQ(Await(driver->Inspect(context_, task->run_id)).code(), Code::kNotFound);
  EXPECT_TRUE(
      Until([&] { return log().find("is recovered after all") != std::string::npos; }, 10s));
  EXPECT_EQ(Await(driver->Inspect(context_, task->run_id))->state, TaskState::kRunning);
  EXPECT_FALSE(end) << "it runs on";
  EXPECT_TRUE(Await(driver->Stop(context_, task->run_id, 1s, "SIGTERM")).ok());
  EXPECT_TRUE(Until([&] { return end.has_value(); }));
  EXPECT_EQ((*end)->exit_code, 130);
  EXPECT_EQ(driver->status().launches, 2);
  Await(waiting.Close());
  EXPECT_TRUE(Await(driver->Destroy(context_, task->run_id, true)).ok());
}

// An instance that dies with its process leaves nothing.
TEST_F(ContainedDriverTest, AShutdownDoesNotWaitForACreateInAProcess) {
  options_.limits.create = options_.limits.hold = options_.limits.shutdown = 15s;
  options_.plugins.clear();
  Add("test", TestPlugin("create_never"));
  options_.plugins[0].isolation = "process";
  registry_ = std::make_unique<PluginRegistry>(&loop_, &workers_, nullptr, options_);
  registry_->BeginLoading(context_);
  ASSERT_TRUE(Until([&] { return log().find("wrote: creating") != std::string::npos; }));
  const TimePoint began = BootClock::now();
  Await(registry_->Shutdown());
  EXPECT_LT(BootClock::now() - began, 10s);
  EXPECT_THAT(log(), testing::Not(HasSubstr("create has not ended")));
}

// The caller of destroy must get the error that processes of the run live on, whatever the driver
// answers.
TEST_F(ContainedDriverTest, AReleaseThatFailsFailsTheDestroy) {
  testing::NiceMock<MockProcesses> processes;
  processes_ = &processes;
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const RunId run = RunId::Random();
  bool dies = false;
  ON_CALL(processes, Release(testing::_, run)).WillByDefault([&](Context, RunId) -> Co<Status> {
    if (dies) co_return Status();
    co_return Error(Code::kUnavailable, "its processes do not die", true);
  });
  for (const bool force : {false, true}) {
    for (Driver* driver : std::vector<Driver*>{contained(), contained()->current()}) {
      dies = false;
      const Status stays = Await(driver->Destroy(context_, run, force));
      EXPECT_EQ(stays.code(), Code::kUnavailable) << force;
      EXPECT_THAT(stays.error().message(), HasSubstr("its processes do not die"));
      dies = true;
      EXPECT_EQ(Await(driver->Destroy(context_, run, force)).code(), Code::kNotFound) << force;
    }
  }
  Await(registry_->Shutdown());
  registry_.reset();
}

TEST_F(ContainedDriverTest, TenThousandCallsInFlight) {
  options_.limits.hold = options_.limits.inspect = options_.limits.stop_extra = 20s;
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const auto task = Config(R"({"run_for":"1h"})");
  ASSERT_TRUE(Await(contained()->Start(context_, task)).ok());
  constexpr int kCalls = 10'000;
  int answered = 0;
  int exits = 0;
  Gate waiting(&loop_);
  const auto wait = [](LoadedDriver* driver, Context context, RunId run, int* ended,
                       int* good) -> Co<void> {
    const Result<ExitResult> end = co_await driver->Wait(context, run);
    ++*ended;
    if (end.ok()) ++*good;
  };
  LoadedDriver* driver = registry_->FindLoaded("mock_driver");
  for (int i = 0; i < kCalls; ++i) {
    waiting.Spawn(wait(driver, context_, task->run_id, &answered, &exits));
  }
  // All calls are in the driver before the task ends, and one inspect beside them is answered.
  EXPECT_EQ(Await(driver->Inspect(context_, task->run_id))->state, TaskState::kRunning);
  EXPECT_EQ(answered, 0);
  EXPECT_TRUE(Await(driver->Stop(context_, task->run_id, 0s, "")).ok());
  EXPECT_TRUE(Until([&] { return answered == kCalls; }, 15s));
  EXPECT_EQ(exits, kCalls);
  Await(waiting.Close());
}

// A stopped process reads nothing: messages to it wait, and then the host ends it.
TEST_F(ContainedDriverTest, AProcessThatReadsNothingIsEnded) {
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const auto task = Config(R"({"run_for":"1h"})");
  ASSERT_TRUE(Await(contained()->Start(context_, task)).ok());
  const pid_t pid = contained()->status().pid;
  ASSERT_TRUE(StopProcess(pid));
  const TimePoint began = BootClock::now();
  EXPECT_FALSE(Await(contained()->Inspect(context_, task->run_id)).ok());
  EXPECT_LT(BootClock::now() - began, 5s);
  EXPECT_TRUE(Until([&] { return launches() >= 2 && Healthy(); }));
  EXPECT_EQ(Await(contained()->Inspect(context_, task->run_id))->state, TaskState::kRunning);
}

TEST_F(ContainedDriverTest, ALoadThatTakesTooLongIsReported) {
  options_.limits.load = 100ms;
  options_.plugins.clear();
  Add("test", TestPlugin("slow_to_load"));
  options_.plugins[0].isolation = "process";
  EXPECT_EQ(Load()[0].message,
            TestPlugin("slow_to_load") + " cannot be started: it has not been loaded within 100ms");
  SupervisedDriver* driver = registry_->FindContained("test");
  ASSERT_NE(driver, nullptr);
  // Its health has the reason of a refused start from the beginning.
  const std::string given_up = "plugin test 1.2.3 was ended: it has not been loaded within 100ms";
  std::vector<std::string> reported = {driver->fingerprint().description};
  const Subscription heard =
      driver->OnFingerprint([&] { reported.push_back(driver->fingerprint().description); });
  EXPECT_TRUE(Until([&] { return driver->status().launches >= 3; }));
  EXPECT_THAT(reported, testing::Each(testing::StartsWith(given_up)));
  EXPECT_THAT(driver->status().last_end,
              testing::StartsWith("plugin test 1.2.3 was ended: it has not been loaded within"));
}

// An agent that was suspended together with its plugins does not count that time against them.
TEST_F(ContainedDriverTest, WhatStoodStillWithTheAgentIsNotLate) {
  constexpr Duration kPatience = 2s;
  options_.limits.load = options_.limits.relaunch_patience = kPatience;
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  const auto task = Config(R"({"run_for":"1h"})");
  ASSERT_TRUE(Await(contained()->Start(context_, task)).ok());
  ASSERT_TRUE(HasLoaded(contained()->status().pid));
  const pid_t pid = StopNextBeforeItHasLoaded();
  ASSERT_GT(pid, 0);
  const int launch = launches();
  Result<TaskStatus> status = Error(Code::kInternal, "it has not been answered");
  bool over = false;
  Gate asking(&loop_);
  const auto ask = [](SupervisedDriver* driver, Context context, RunId run, Result<TaskStatus>* to,
                      bool* flag) -> Co<void> {
    *to = co_await driver->Inspect(context, run);
    *flag = true;
  };
  asking.Spawn(ask(contained(), context_, task->run_id, &status, &over));
  // The loop does not run meanwhile. Then all due timers fire at once.
  std::this_thread::sleep_for(kPatience);
  EXPECT_FALSE(Until([&] { return over || launches() > launch; }, 100ms)) << last_end();
  kill(pid, SIGCONT);
  EXPECT_TRUE(Until([&] { return over; }));
  EXPECT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(launches(), launch) << last_end();
  Await(asking.Close());
}

TEST_F(ContainedDriverTest, ADestroyWhileItRecoversReachesTheDriver) {
  options_.limits.hold = options_.limits.recover = 20s;
  options_.limits.relaunch_patience = 1ms;
  SupervisedDriver* driver = LoadTestDriver("recover_slow");
  ASSERT_NE(driver, nullptr);
  const auto task = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, task)).ok());
  kill(driver->status().pid, SIGKILL);
  ASSERT_TRUE(Until([&] { return log().find("wrote: recovering") != std::string::npos; }));
  EXPECT_EQ(Await(driver->Destroy(context_, task->run_id, true)).code(), Code::kUnavailable);
  EXPECT_TRUE(Until([&] { return driver->current() != nullptr; }));
  EXPECT_EQ(Await(driver->Inspect(context_, task->run_id)).code(), Code::kNotFound);
}

// A run was destroyed while no process could be asked. The next process is asked to destroy it, and
// a reload ends that process before it has answered. The reload fails, so one more process comes.
TEST_F(ContainedDriverTest, ADestroyThatAFailedReloadInterruptsIsMadeAgain) {
  auto& limits = options_.limits;
  limits.hold = limits.create = limits.recover = limits.destroy = 20s;
  SupervisedDriver* driver = LoadTestDriver("destroy_never_answers");
  ASSERT_NE(driver, nullptr);
  RestoreComplete({});
  const auto stays = Config("{}");
  const auto goes = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, stays)).ok());
  ASSERT_TRUE(Await(driver->Start(context_, goes)).ok());
  kill(driver->status().pid, SIGKILL);
  ASSERT_TRUE(Until([&] { return driver->current() == nullptr; }));
  Context given_up = context_.Child();  // so the destroy does not wait for the next process
  given_up.Cancel();
  EXPECT_FALSE(Await(driver->Destroy(given_up, goes->run_id, true)).ok());
  ASSERT_TRUE(Until([&] { return CountInLog("wrote: destroying") == 1; })) << log();
  PluginConfig wanted = *registry_->FindConfig("test");
  wanted.file = TestPlugin("recover_later");
  const Result<PluginReport> reloaded = Await(registry_->Reload(context_, std::move(wanted)));
  ASSERT_FALSE(reloaded.ok());
  EXPECT_THAT(reloaded.error().message(), HasSubstr("cannot recover 1 of 1 tasks"));
  EXPECT_TRUE(Until([&] { return CountInLog("wrote: destroying") == 2; })) << log();
}

// The process recovers its runs when the host ends: its driver must hear of the end, like one that
// is in charge.
TEST_F(ContainedDriverTest, AProcessOnItsWayBackIsShutDownWithTheHost) {
  auto& limits = options_.limits;
  limits.hold = limits.create = limits.recover = limits.shutdown = 20s;
  SupervisedDriver* driver = LoadTestDriver("recover_slow");
  ASSERT_NE(driver, nullptr);
  ASSERT_TRUE(Await(driver->Start(context_, Config("{}"))).ok());
  kill(driver->status().pid, SIGKILL);
  ASSERT_TRUE(Until([&] { return log().find("wrote: recovering") != std::string::npos; }));
  Await(registry_->Shutdown());
  EXPECT_THAT(log(), HasSubstr("the instance goes"));
}

TEST_F(ContainedDriverTest, WhatItWritesIsKept) {
  options_.plugins[0].config_json = R"({"crash_in":"configure","crash_by":"throw"})";
  for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
  EXPECT_FALSE(Await(contained()->Configure(context_, "{}")).ok());
  EXPECT_TRUE(Until([&] { return launches() >= 2 && Healthy(); }));
  EXPECT_THAT(registry_->Inspect("mock_driver")->output, HasSubstr("mock exception"));
  EXPECT_THAT(log(), HasSubstr("wrote: "));
  EXPECT_EQ(registry_->Inspect("test"), std::nullopt);
}

#endif

}  // namespace
}  // namespace drover
