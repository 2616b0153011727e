// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_state.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(TaskStateTest, RestartingCountsAndFailuresStay) {
  TaskStateRecord record;
  AppendTaskEvent(&record, TaskEvent(event_type::kReceived), 5);
  EXPECT_EQ(record.events[0]->time, 5);
  EXPECT_EQ(record.restarts, 0u);
  AppendTaskEvent(&record, RestartingEvent(1s, ""), 7);
  EXPECT_EQ(record.restarts, 1u);
  EXPECT_EQ(record.last_restart, 7);
  EXPECT_FALSE(record.failed);
  AppendTaskEvent(&record, TaskEvent(event_type::kNotRestarting).FailsTask(), 8);
  AppendTaskEvent(&record, TaskEvent(event_type::kStarted), 9);
  EXPECT_TRUE(record.failed);
}

TEST(TaskStateTest, AnEventKeepsItsOwnTime) {
  TaskStateRecord record;
  TaskEvent event(event_type::kDriver);
  event.time = 3;
  AppendTaskEvent(&record, event, 9);
  EXPECT_EQ(record.events[0]->time, 3);
}

TEST(TaskStateTest, TenEventsAreKept) {
  TaskStateRecord record;
  for (int i = 1; i <= 25; ++i) AppendTaskEvent(&record, TaskEvent(event_type::kDriver), i);
  ASSERT_EQ(record.events.size(), 10u);
  EXPECT_EQ(record.events.front()->time, 16);
  EXPECT_EQ(record.events.back()->time, 25);
}

// A pull of many minutes must not push out what happened before.
TEST(TaskStateTest, ReportsOfProgressReplaceEachOther) {
  TaskStateRecord record;
  AppendTaskEvent(&record, TaskEvent(event_type::kReceived), 1);
  const auto report = [&](const std::string& phase, std::uint64_t done) {
    AppendTaskEvent(&record, ProgressEventOf({phase, done, 10, "layers", ""}), 2);
  };
  for (std::uint64_t i = 1; i <= 10; ++i) report("Pulling", i);
  ASSERT_EQ(record.events.size(), 2u);
  EXPECT_EQ(DisplayMessage(record.events[1]), "Pulling: 100 % (10 of 10 layers)");
  // Phases that take turns, or have new names each time, find an end, too.
  for (std::uint64_t i = 1; i <= 100; ++i) report("phase " + std::to_string(i), 1);
  ASSERT_EQ(record.events.size(), 1 + kMaxProgressEvents);
  EXPECT_EQ(record.events[0]->type, event_type::kReceived);
  EXPECT_EQ(DisplayMessage(record.events.back()), "phase 100: 10 % (1 of 10 layers)");
}

TEST(TaskStateTest, TimesOfTheStates) {
  TaskStateRecord record;
  ChangeTaskState(&record, RunnerState::kRunning, 1);
  ChangeTaskState(&record, RunnerState::kRunning, 2);
  EXPECT_EQ(record.started_at, 1);
  ChangeTaskState(&record, RunnerState::kPending, 3);
  ChangeTaskState(&record, RunnerState::kRunning, 4);
  EXPECT_EQ(record.started_at, 4);
  EXPECT_EQ(record.finished_at, 0);
  ChangeTaskState(&record, RunnerState::kDead, 5);
  ChangeTaskState(&record, RunnerState::kPending, 6);
  ChangeTaskState(&record, RunnerState::kDead, 7);
  EXPECT_EQ(record.finished_at, 5) << "the first end is kept";
}

TEST(TaskStateTest, DyingWithoutAStartHasAnEnd) {
  TaskStateRecord record;
  ChangeTaskState(&record, RunnerState::kDead, 5);
  EXPECT_EQ(record.started_at, 0);
  EXPECT_EQ(record.finished_at, 5);
  EXPECT_TRUE(record.Successful());
}

TEST(TaskStateTest, Names) {
  EXPECT_EQ(RunnerStateName(RunnerState::kPending), "pending");
  EXPECT_EQ(RunnerStateName(RunnerState::kRunning), "running");
  EXPECT_EQ(RunnerStateName(RunnerState::kDead), "dead");
}

TEST(TaskStateTest, SuccessiveRecordsShareTheirEvents) {
  TaskStateRecord record;
  AppendTaskEvent(&record, TaskEvent(event_type::kReceived), 1);
  const TaskStateRecord before = record;
  AppendTaskEvent(&record, TaskEvent(event_type::kStarted), 2);
  const TaskEvent& first = before.events[0];
  const TaskEvent& same = record.events[0];
  EXPECT_EQ(&first, &same);
  // Events that were made separately are equal by their content.
  TaskStateRecord other;
  AppendTaskEvent(&other, TaskEvent(event_type::kReceived), 1);
  EXPECT_EQ(before, other);
  AppendTaskEvent(&other, TaskEvent(event_type::kKilled), 2);
  EXPECT_FALSE(record == other);
}

}  // namespace
}  // namespace drover
