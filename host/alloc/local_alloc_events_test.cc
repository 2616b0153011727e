// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The exact events of tasks in situations that clients know, from an allocation's start to its end.
// Also the effects of many requests at once.
#include <gtest/gtest.h>

#include "host/alloc/alloc_fixture.h"

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
    fixture_.job().type = JobType::kBatch;
    fixture_.env.make_task_hooks = [this](const Allocation&, const Task& task) {
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
    fixture_.loop.RunReady();
  }

  ControlHook::Controls controls_;
  bool download_ = false;
  AllocFixture fixture_;
};

TEST_F(AllocEventsTest, RunAndExitWell) {
  fixture_.driver.On("main").run_for = 1s;
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
}

TEST_F(AllocEventsTest, FailWithoutAttempts) {
  fixture_.driver.On("main").run_for = 1s;
  fixture_.driver.On("main").exit.exit_code = 1;
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.Events("main"),
            (Types{"Received", "Task Setup", "Started", "Terminated", "Not Restarting"}));
}

TEST_F(AllocEventsTest, StopWhileRunning) {
  fixture_.env.services.max_kill_timeout = 10s;
  fixture_.AddTask("main").kill_timeout = 25s;
  fixture_.AddTask("other").kill_timeout = 7s;
  fixture_.Start();
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  const Types stopped = {"Received", "Task Setup", "Started", "Killing", "Terminated", "Killed"};
  EXPECT_EQ(fixture_.Events("main"), stopped);
  EXPECT_EQ(fixture_.Events("other"), stopped);
  EXPECT_EQ(fixture_.state("main").events[3]->Detail(event_key::kKillTimeout), "10s");
  EXPECT_EQ(fixture_.state("other").events[3]->Detail(event_key::kKillTimeout), "7s");
}

TEST_F(AllocEventsTest, RecoverableStartError) {
  fixture_.group().restart_policy.attempts = 1;
  fixture_.driver.On("main").start_error = Error(Code::kInternal, "no such image", true);
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Task Setup", "Driver Failure",
                                            "Restarting", "Driver Failure", "Not Restarting"}));
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
}

TEST_F(AllocEventsTest, AHookThatFailsIsTriedAgainWithinThePolicy) {
  download_ = true;
  fixture_.group().restart_policy.attempts = 1;
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(
      fixture_.Events("main"),
      (Types{"Received", "Task Setup", "Downloading Artifacts", "Failed Artifact Download",
             "Restarting", "Downloading Artifacts", "Failed Artifact Download", "Not Restarting"}));
}

TEST_F(AllocEventsTest, RestartForAFailedCheckCountsAgainstThePolicy) {
  fixture_.job().type = JobType::kService;
  fixture_.group().restart_policy.attempts = 1;
  fixture_.AddTask("main");
  fixture_.Start();
  CheckRestart("main");
  fixture_.loop.Advance(1min);
  EXPECT_EQ(fixture_.Brief("main"), "running/1");
  CheckRestart("main");
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.Events("main"),
            (Types{"Received", "Task Setup", "Started", "Restart Signaled", "Terminated",
                   "Restarting", "Started", "Restart Signaled", "Terminated", "Not Restarting"}));
}

TEST_F(AllocEventsTest, RestartByAUser) {
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_TRUE(fixture_.Wait(fixture_.runner().RestartTask("main")).ok());
  fixture_.loop.RunReady();
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Task Setup", "Started", "Restart Signaled",
                                            "Terminated", "Restarting", "Started"}));
}

TEST_F(AllocEventsTest, WhenItHasEndedEveryTaskHasAnEnd) {
  fixture_.driver.On("init").run_for = 1s;
  fixture_.driver.On("init").exit.exit_code = 1;
  fixture_.AddTask("init", "init");
  fixture_.AddTask("main");
  fixture_.AddTask("side", "side");
  fixture_.AddTask("once", "post");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
  for (const Task& task : fixture_.group().tasks) {
    EXPECT_NE(fixture_.state(task.name).finished_at, 0) << task.name;
  }
}

// The end of a leader stops the others like a stop does, all at the same time.
TEST_F(AllocEventsTest, ADeadLeaderEndsDeafTasksWithinTheirKillTimeout) {
  fixture_.AddTask("leader").leader = true;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "deaf" + std::to_string(i);
    fixture_.driver.On(name).ignores_signal = true;
    fixture_.AddTask(name).kill_timeout = 5s;
  }
  fixture_.Start();
  fixture_.driver.End("leader", ExitResult());
  fixture_.loop.Advance(5s + 100ms);
  EXPECT_TRUE(fixture_.runner().ended());
}

TEST_F(AllocEventsTest, AStormOfFailedChecksHoldsNeitherRestartsNorTheStop) {
  fixture_.job().type = JobType::kService;
  fixture_.group().restart_policy = {100, 1h, 1s, RestartPolicy::Mode::kFail};
  Types names;
  for (int i = 0; i < 60; ++i) {
    names.push_back("t" + std::to_string(i));
    if (i % 2 == 0) fixture_.driver.On(names.back()).stop_delay = 2s;
    fixture_.AddTask(names.back());
  }
  fixture_.Start();
  for (int round = 1; round <= 3; ++round) {
    for (const std::string& name : names) CheckRestart(name);
    for (const std::string& name : names) CheckRestart(name);  // while it restarts
    fixture_.loop.Advance(1min);
    for (const std::string& name : names) {
      ASSERT_EQ(fixture_.Brief(name), "running/" + std::to_string(round));
    }
  }
  for (const std::string& name : names) CheckRestart(name);
  fixture_.UpdateToStop();
  const TimePoint begin = fixture_.loop.Now();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_LE(fixture_.loop.Now() - begin, 5s + 2s);
}

}  // namespace
}  // namespace drover
