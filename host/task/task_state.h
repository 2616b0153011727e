// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "host/base/time.h"
#include "host/task/task_event.h"

namespace drover {

enum class RunnerState { kPending, kRunning, kDead };
std::string_view RunnerStateName(RunnerState state);  // returns "pending", "running" or "dead"

// The state of a task. Clients see it, and it is stored for the next agent.
struct TaskStateRecord {
  RunnerState state = RunnerState::kPending;
  bool failed = false;  // set by an event that fails the task, and never cleared
  std::uint64_t restarts = 0;
  WallTime last_restart = 0;
  WallTime started_at = 0;   // the time of the last change to running
  WallTime finished_at = 0;  // the time at which the task was first dead; never cleared
  // ATTEMPTS is the number of attempts that the restart policy has counted in its interval.
  // ATTEMPTS_SINCE is the start of that interval, or 0 if it is unknown. They are in this record
  // so that they always agree with the event of a restart. Clients do not see them.
  int attempts = 0;
  WallTime attempts_since = 0;
  std::vector<SharedTaskEvent> events;

  bool Successful() const { return state == RunnerState::kDead && !failed; }
  bool operator==(const TaskStateRecord&) const = default;
};

// An immutable record, which the control thread passes to all other threads.
using TaskSnapshot = std::shared_ptr<const TaskStateRecord>;

// Appends EVENT and updates failed, restarts and last_restart from it. If there are more than
// kMaxTaskEvents events, drops the oldest. An event without a time gets NOW. A report of progress
// replaces the one of the same phase, and the oldest of more than kMaxProgressEvents. So however
// long a phase lasts, it pushes no other event out.
void AppendTaskEvent(TaskStateRecord* record, TaskEvent event, WallTime now);

// Returns the index of the first event in NOW that is newer than all events in BEFORE. Old events
// of BEFORE may be missing in NOW, and so may reports of progress.
std::size_t FirstNewEvent(const TaskStateRecord& before, const TaskStateRecord& now);

// Changes the state, and started_at or finished_at with it.
void ChangeTaskState(TaskStateRecord* record, RunnerState state, WallTime now);

}  // namespace drover
