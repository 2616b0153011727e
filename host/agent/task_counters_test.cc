// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/task_counters.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

class TaskCountersTest : public ::testing::Test {
 protected:
  // Reports the new state TASK.
  void Report(const TaskStateRecord& task) {
    auto now = std::make_shared<AllocState>();
    if (before_ != nullptr) now->tasks = before_->tasks;
    now->tasks["t"] = std::make_shared<const TaskStateRecord>(task);
    counters_.Changed(before_, *now);
    before_ = now;
  }

  double Counted(const std::string& name) const {
    for (const Metric& metric : metrics_.Look()) {
      if (metric.name == "nomad.client.allocs." + name) return metric.value;
    }
    return -1;
  }

  void Append(TaskStateRecord* task, TaskEvent event) {
    AppendTaskEvent(task, std::move(event), ++time_);
  }

  MetricRegistry metrics_;
  TaskCounters counters_{&metrics_};
  AllocSnapshot before_;
  WallTime time_ = 0;
};

TEST_F(TaskCountersTest, NothingHasHappenedAtFirst) {
  for (const char* name : {"start", "running", "restart", "complete", "failed", "oom_killed"}) {
    EXPECT_EQ(Counted(name), 0) << name;
  }
}

TEST_F(TaskCountersTest, EachStartIsCountedOnceThoughOldEventsAreDropped) {
  TaskStateRecord task;
  ChangeTaskState(&task, RunnerState::kRunning, 1);
  for (int i = 1; i <= 20; ++i) {
    Append(&task, TaskEvent(event_type::kStarted));
    Report(task);
    Report(task);
    EXPECT_EQ(Counted("start"), i);
  }
  Append(&task, TaskEvent(event_type::kStarted));
  Append(&task, TaskEvent(event_type::kStarted));
  Report(task);
  EXPECT_EQ(Counted("start"), 22) << "of two that are reported together";
  EXPECT_EQ(Counted("running"), 1);
}

TEST_F(TaskCountersTest, EndsAreCountedByKind) {
  TaskStateRecord task;
  Report(task);
  ChangeTaskState(&task, RunnerState::kRunning, 1);
  Report(task);
  ExitResult killed;
  killed.oom_killed = true;
  Append(&task, TerminatedEvent(killed));
  Append(&task, RestartingEvent(0s, kRestartWithinPolicy));
  Report(task);
  EXPECT_EQ(Counted("oom_killed"), 1);
  EXPECT_EQ(Counted("restart"), static_cast<double>(task.restarts));
  EXPECT_EQ(task.restarts, 1u);
  TaskStateRecord ended = task;
  ChangeTaskState(&ended, RunnerState::kDead, 2);
  Report(ended);
  EXPECT_EQ(Counted("complete"), 1);
  Report(task);  // all tasks were restarted
  ended.failed = true;
  Report(ended);
  EXPECT_EQ(Counted("complete"), 1);
  EXPECT_EQ(Counted("failed"), 1);
}

}  // namespace
}  // namespace drover
