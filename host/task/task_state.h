// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "host/base/time.h"
#include "host/task/task_event.h"

namespace drover {

enum class RunnerState { kPending, kRunning, kDead };
std::string_view RunnerStateName(RunnerState state);  // "pending", "running", "dead"

// What became of a task: what clients see and what survives the agent.
struct TaskStateRecord {
  RunnerState state = RunnerState::kPending;
  bool failed = false;  // set by an event that fails the task, never cleared
  std::uint64_t restarts = 0;
  WallTime last_restart = 0;
  WallTime started_at = 0;   // the last change to running
  WallTime finished_at = 0;  // the first time it was dead; never cleared
  // What the restart policy has counted in its interval, and when that began; 0: unknown. Kept here
  // so that it can't differ from the event of a restart. Not shown to clients.
  int attempts = 0;
  WallTime attempts_since = 0;
  std::vector<SharedTaskEvent> events;

  bool Successful() const { return state == RunnerState::kDead && !failed; }
  bool operator==(const TaskStateRecord&) const = default;
};

// A record that never changes: what the control thread hands to everybody else.
using TaskSnapshot = std::shared_ptr<const TaskStateRecord>;

// Appends EVENT, with what it means for failed, restarts and last_restart; drops the oldest event
// when there are too many. An event without a time gets NOW.
void AppendTaskEvent(TaskStateRecord* record, TaskEvent event, WallTime now);

// Changes the state, with what that means for started_at and finished_at.
void ChangeTaskState(TaskStateRecord* record, RunnerState state, WallTime now);

}  // namespace drover
