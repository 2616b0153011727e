// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The exact events of tasks in situations that clients know, from an allocation's start to its end.
// Also the effects of many requests at once.
#include <gtest/gtest.h>

#include "host/alloc/alloc_bench.h"

namespace drover {
namespace {

using Types = std::vector<std::string>;

// Stores each task's control, as hooks for checks and templates do.
class ControlHook : public TaskHook {
 public:
  using Controls = std::map<std::string, std::weak_ptr<TaskControl>>;
  ControlHook(Controls* controls, std::string task) : controls_(controls), task_(std::move(task)) {}
  std::string_view name() const override { return "control"; }
  bool Has(HookStage) const override { return false; }
  void Attach(std::weak_ptr<TaskControl> control) override {
    (*controls_)[task_] = std::move(control);
  }

 private:
  Controls* const controls_;
  const std::string task_;
};

// Fails as a download does that finds no file.
class DownloadHook : public TaskHook {
 public:
  std::string_view name() const override { return "artifacts"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Result<PrestartResponse>> Prestart(Context, PrestartRequest) override {
    control_.lock()->EmitEvent(TaskEvent("Downloading Artifacts"));
    co_return Error(Code::kNotFound, "404", true);
  }
  TaskEvent FailureEvent(const Error& error) const override {
    return TaskEvent("Failed Artifact Download").Message(error.message());
  }

 private:
  std::weak_ptr<TaskControl> control_;
};

class AllocEventsTest : public testing::Test {
 protected:
  AllocEventsTest() {
    bench_.job().type = JobType::kBatch;
    bench_.env.make_task_hooks = [this](const Allocation&, const Task& task) {
      TaskHooks hooks;
      hooks.after_stats.push_back(std::make_shared<ControlHook>(&controls_, task.name));
      if (download_) hooks.before_stats.push_back(std::make_shared<DownloadHook>());
      return hooks;
    };
  }
  // Plays a check that has failed often enough.
  void CheckRestart(const std::string& task) {
    controls_.at(task).lock()->RequestRestart(
        TaskEvent(event_type::kRestartSignaled)
            .With(event_key::kRestartReason, "healthcheck: check \"up\" unhealthy"),
        true);
    bench_.loop.RunReady();
  }

  ControlHook::Controls controls_;
  bool download_ = false;
  AllocBench bench_;
};

TEST_F(AllocEventsTest, RunAndExitWell) {
  bench_.driver.On("main").run_for = 1s;
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
}

TEST_F(AllocEventsTest, FailWithoutAttempts) {
  bench_.driver.On("main").run_for = 1s;
  bench_.driver.On("main").exit.exit_code = 1;
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.Events("main"),
            (Types{"Received", "Task Setup", "Started", "Terminated", "Not Restarting"}));
}

TEST_F(AllocEventsTest, StopWhileRunning) {
  bench_.env.task.max_kill_timeout = 10s;
  bench_.AddTask("main").kill_timeout = 25s;
  bench_.AddTask("other").kill_timeout = 7s;
  bench_.Start();
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  const Types stopped = {"Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"};
  EXPECT_EQ(bench_.Events("main"), stopped);
  EXPECT_EQ(bench_.Events("other"), stopped);
  EXPECT_EQ(bench_.state("main").events[3]->Detail(event_key::kKillTimeout), "10s");
  EXPECT_EQ(bench_.state("other").events[3]->Detail(event_key::kKillTimeout), "7s");
}

TEST_F(AllocEventsTest, RecoverableStartError) {
  bench_.group().restart_policy.attempts = 1;
  bench_.driver.On("main").start_error = Error(Code::kInternal, "no such image", true);
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Task Setup", "Driver Failure", "Restarting",
                                          "Driver Failure", "Not Restarting"}));
  EXPECT_EQ(bench_.status().status, ClientStatus::kFailed);
}

TEST_F(AllocEventsTest, AHookThatFailsIsTriedAgainWithinThePolicy) {
  download_ = true;
  bench_.group().restart_policy.attempts = 1;
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(
      bench_.Events("main"),
      (Types{"Received", "Task Setup", "Downloading Artifacts", "Failed Artifact Download",
             "Restarting", "Downloading Artifacts", "Failed Artifact Download", "Not Restarting"}));
}

TEST_F(AllocEventsTest, RestartForAFailedCheckCountsAgainstThePolicy) {
  bench_.job().type = JobType::kService;
  bench_.group().restart_policy.attempts = 1;
  bench_.AddTask("main");
  bench_.Start();
  CheckRestart("main");
  bench_.loop.Advance(1min);
  EXPECT_EQ(bench_.Brief("main"), "running/1");
  CheckRestart("main");
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.Events("main"),
            (Types{"Received", "Task Setup", "Started", "Restart Signaled", "Terminated",
                   "Restarting", "Started", "Restart Signaled", "Terminated", "Not Restarting"}));
}

TEST_F(AllocEventsTest, RestartByAUser) {
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_TRUE(bench_.Wait(bench_.runner().RestartTask("main")).ok());
  bench_.loop.RunReady();
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Task Setup", "Started", "Restart Signaled",
                                          "Terminated", "Restarting", "Started"}));
}

TEST_F(AllocEventsTest, WhenItHasEndedEveryTaskHasAnEnd) {
  bench_.driver.On("init").run_for = 1s;
  bench_.driver.On("init").exit.exit_code = 1;
  bench_.AddTask("init", "init");
  bench_.AddTask("main");
  bench_.AddTask("side", "side");
  bench_.AddTask("once", "post");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.status().status, ClientStatus::kFailed);
  for (const Task& task : bench_.group().tasks) {
    EXPECT_NE(bench_.state(task.name).finished_at, 0) << task.name;
  }
}

// The end of a leader stops the others like a stop does, all at the same time.
TEST_F(AllocEventsTest, ADeadLeaderEndsDeafTasksWithinTheirKillTimeout) {
  bench_.AddTask("leader").leader = true;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "deaf" + std::to_string(i);
    bench_.driver.On(name).ignores_signal = true;
    bench_.AddTask(name).kill_timeout = 5s;
  }
  bench_.Start();
  bench_.driver.End("leader", ExitResult());
  bench_.loop.Advance(5s + 100ms);
  EXPECT_TRUE(bench_.runner().ended());
}

TEST_F(AllocEventsTest, AStormOfFailedChecksHoldsNeitherRestartsNorTheStop) {
  bench_.job().type = JobType::kService;
  bench_.group().restart_policy = {100, 1h, 1s, RestartPolicy::Mode::kFail};
  Types names;
  for (int i = 0; i < 60; ++i) {
    names.push_back("t" + std::to_string(i));
    if (i % 2 == 0) bench_.driver.On(names.back()).stop_delay = 2s;
    bench_.AddTask(names.back());
  }
  bench_.Start();
  for (int round = 1; round <= 3; ++round) {
    for (const std::string& name : names) CheckRestart(name);
    for (const std::string& name : names) CheckRestart(name);  // while it restarts
    bench_.loop.Advance(1min);
    for (const std::string& name : names) {
      ASSERT_EQ(bench_.Brief(name), "running/" + std::to_string(round));
    }
  }
  for (const std::string& name : names) CheckRestart(name);
  bench_.UpdateToStop();
  const TimePoint begin = bench_.loop.Now();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_LE(bench_.loop.Now() - begin, 5s + 2s);
}

}  // namespace
}  // namespace drover
