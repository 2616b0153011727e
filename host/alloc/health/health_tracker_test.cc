// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/health/health_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace drover {
namespace {

class HealthTrackerTest : public testing::Test {
 protected:
  HealthTrackerTest() {
    job_->groups.resize(1);
    job_->groups[0].name = "group";
    state_.status.status = ClientStatus::kPending;
  }

  void AddTask(const std::string& name, std::optional<Lifecycle> lifecycle = {}) {
    Task task;
    task.name = name;
    task.lifecycle = lifecycle;
    job_->groups[0].tasks.push_back(task);
    Change(name, [](TaskStateRecord*) {});
  }
  void Change(const std::string& task, const std::function<void(TaskStateRecord*)>& change) {
    const auto before = state_.tasks.find(task);
    TaskStateRecord record;
    if (before != state_.tasks.end()) record = *before->second;
    change(&record);
    state_.tasks[task] = std::make_shared<const TaskStateRecord>(record);
  }
  void Run(const std::string& task) {
    Change(task, [this](TaskStateRecord* record) {
      ChangeTaskState(record, RunnerState::kRunning, Wall());
    });
  }
  void End(const std::string& task, bool failed) {
    Change(task, [&](TaskStateRecord* record) {
      ChangeTaskState(record, RunnerState::kDead, Wall());
      record->failed = failed;
    });
  }

  WallTime Wall() const { return 1'000'000'000'000'000'000 + now_.time_since_epoch().count(); }
  // Begins to watch if necessary. Returns "" as long as there is no verdict, else "healthy" or the
  // messages.
  std::string Judge() {
    if (!tracker_) tracker_.emplace(job_->groups[0].update, now_);
    auto alloc = std::make_shared<Allocation>();
    alloc->job = job_;
    alloc->group_name = "group";
    state_.alloc = alloc;
    const auto verdict = tracker_->Judge(state_, checks_pass_, now_, Wall());
    if (!verdict) return "";
    if (verdict->healthy) return "healthy";
    std::string text = "unhealthy";
    for (const auto& [task, message] : verdict->messages) text += "; " + task + ": " + message;
    return text;
  }
  // Lets DURATION pass, and judges whenever it is due.
  std::string After(Duration duration) {
    const TimePoint end = now_ + duration;
    if (std::string text = Judge(); !text.empty()) return text;
    while (now_ < end) {
      now_ = std::max(now_, std::min(end, tracker_->due()));
      if (std::string text = Judge(); !text.empty()) return text;
      if (tracker_->due() >= end) now_ = end;
    }
    return Judge();
  }
  UpdatePolicy& policy() { return job_->groups[0].update; }

  std::shared_ptr<Job> job_ = std::make_shared<Job>();
  AllocState state_;
  std::optional<HealthTracker> tracker_;
  TimePoint now_{1000s};
  bool checks_pass_ = true;
};

constexpr auto kHealthPrestart = Lifecycle::Hook::kPrestart;
constexpr auto kHealthPoststart = Lifecycle::Hook::kPoststart;
constexpr auto kHealthPoststop = Lifecycle::Hook::kPoststop;

TEST_F(HealthTrackerTest, TasksMustRunForTheMinimum) {
  AddTask("a");
  AddTask("b");
  EXPECT_EQ(Judge(), "");
  Run("a");
  EXPECT_EQ(After(20s), "") << "one task is pending";
  Run("b");
  EXPECT_EQ(After(10s - 1ns), "");
  EXPECT_EQ(After(1ns), "healthy");
}

TEST_F(HealthTrackerTest, WhatADriverSaysOfItsTaskIsACheck) {
  policy().health_check = UpdatePolicy::HealthCheck::kChecks;
  policy().healthy_deadline = 1min;
  AddTask("a");
  Run("a");
  Change("a", [](TaskStateRecord* record) { record->unhealthy = true; });
  EXPECT_EQ(After(30s), "");
  Change("a", [](TaskStateRecord* record) { record->unhealthy = false; });
  EXPECT_EQ(After(policy().min_healthy_time), "healthy");
}

TEST_F(HealthTrackerTest, AnUnhealthyTaskIsToBlameAtTheDeadline) {
  policy().health_check = UpdatePolicy::HealthCheck::kChecks;
  policy().healthy_deadline = 1min;
  AddTask("a");
  Run("a");
  Change("a", [](TaskStateRecord* record) { record->unhealthy = true; });
  EXPECT_EQ(After(2min), "unhealthy; a: Task not healthy by deadline, says its driver");
}

TEST_F(HealthTrackerTest, ARestartCountsFromTheNewStart) {
  AddTask("a");
  Run("a");
  EXPECT_EQ(After(9s), "");
  Change("a", [](TaskStateRecord* record) { record->state = RunnerState::kPending; });
  EXPECT_EQ(After(5s), "");
  Run("a");
  EXPECT_EQ(After(10s - 1ns), "");
  EXPECT_EQ(After(1ns), "healthy");
}

TEST_F(HealthTrackerTest, ChecksMustPassForTheMinimum) {
  AddTask("a");
  Run("a");
  checks_pass_ = false;
  EXPECT_EQ(After(60s), "");
  checks_pass_ = true;
  EXPECT_EQ(After(9s), "");
  checks_pass_ = false;
  EXPECT_EQ(After(1s), "");
  checks_pass_ = true;
  EXPECT_EQ(After(10s - 1ns), "");
  EXPECT_EQ(After(1ns), "healthy");
}

TEST_F(HealthTrackerTest, ChecksMeanNothingIfOnlyTheTasksCount) {
  policy().health_check = UpdatePolicy::HealthCheck::kTaskStates;
  AddTask("a");
  Run("a");
  checks_pass_ = false;
  EXPECT_EQ(After(10s), "healthy");
}

TEST_F(HealthTrackerTest, WhoseTasksRanBeforeIsHealthyAtOnce) {
  AddTask("a");
  Run("a");
  policy().health_check = UpdatePolicy::HealthCheck::kTaskStates;
  now_ += 1h;  // an earlier agent watched, and this one begins now
  EXPECT_EQ(Judge(), "healthy");
}

TEST_F(HealthTrackerTest, FailedAndDeadTasksAreUnhealthyAtOnce) {
  AddTask("a");
  AddTask("b");
  AddTask("c");
  Run("a");
  Run("b");
  Run("c");
  EXPECT_EQ(After(1s), "");
  End("a", true);
  End("b", false);
  EXPECT_EQ(Judge(),
            "unhealthy; a: Unhealthy because of failed task; b: Unhealthy because of dead task");
}

TEST_F(HealthTrackerTest, SomeTasksMayEnd) {
  AddTask("before", Lifecycle{kHealthPrestart, false});
  AddTask("main");
  AddTask("after", Lifecycle{kHealthPoststart, false});
  AddTask("last", Lifecycle{kHealthPoststop, false});
  Run("before");
  EXPECT_EQ(After(1s), "");
  End("before", false);
  Run("main");
  Run("after");
  EXPECT_EQ(After(1s), "");
  End("after", false);
  EXPECT_EQ(After(9s - 1ns), "");
  EXPECT_EQ(After(1ns), "healthy");
}

TEST_F(HealthTrackerTest, AFailedPrestartTaskIsUnhealthy) {
  AddTask("before", Lifecycle{kHealthPrestart, false});
  AddTask("main");
  Run("before");
  End("before", true);
  EXPECT_EQ(Judge(), "unhealthy; before: Unhealthy because of failed task");
}

TEST_F(HealthTrackerTest, AFailedPoststartTaskIsUnhealthy) {
  AddTask("main");
  AddTask("after", Lifecycle{kHealthPoststart, false});
  Run("main");
  Run("after");
  EXPECT_EQ(After(1s), "");
  End("after", true);
  EXPECT_EQ(Judge(), "unhealthy; after: Unhealthy because of failed task");
}

TEST_F(HealthTrackerTest, AnAllocationThatFailsWithoutATaskHasNoMessages) {
  AddTask("a");
  state_.status.status = ClientStatus::kFailed;
  EXPECT_EQ(Judge(), "unhealthy");
}

TEST_F(HealthTrackerTest, AtTheDeadlineTheMessagesSayWhatIsMissing) {
  policy().healthy_deadline = 60s;
  AddTask("runs");
  AddTask("waits");
  Run("runs");
  EXPECT_EQ(After(60s - 1ns), "");
  EXPECT_EQ(After(1ns), "unhealthy; waits: Task not running by healthy_deadline of 1m0s");
}

TEST_F(HealthTrackerTest, WhoRunsTooLateIsUnhealthyAtTheDeadline) {
  policy().healthy_deadline = 60s;
  AddTask("a");
  EXPECT_EQ(Judge(), "");
  EXPECT_EQ(After(51s), "");
  Run("a");
  EXPECT_EQ(After(9s - 1ns), "");
  EXPECT_EQ(After(1ns),
            "unhealthy; a: Task not running for min_healthy_time of 10s by healthy_deadline of "
            "1m0s");
}

TEST_F(HealthTrackerTest, WhatIsHealthyExactlyAtTheDeadlineIsHealthy) {
  policy().healthy_deadline = 60s;
  AddTask("a");
  EXPECT_EQ(Judge(), "");
  EXPECT_EQ(After(50s), "");
  Run("a");
  EXPECT_EQ(After(10s), "healthy");
}

TEST_F(HealthTrackerTest, ChecksThatFailAreUnhealthyAtTheDeadline) {
  policy().healthy_deadline = 60s;
  AddTask("a");
  Run("a");
  checks_pass_ = false;
  EXPECT_EQ(After(60s), "unhealthy; a: Services not healthy by deadline");
}

TEST_F(HealthTrackerTest, ValuesWithoutBoundsDoNotOverflow) {
  policy().min_healthy_time = Duration::max();
  policy().healthy_deadline = Duration::max();
  AddTask("a");
  Run("a");
  EXPECT_EQ(After(10h), "");
}

}  // namespace
}  // namespace drover
