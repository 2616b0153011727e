// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_state.h"

namespace drover {

std::string_view RunnerStateName(RunnerState state) {
  switch (state) {
    case RunnerState::kPending:
      return "pending";
    case RunnerState::kRunning:
      return "running";
    case RunnerState::kDead:
      return "dead";
  }
  return "unknown";
}

void AppendTaskEvent(TaskStateRecord* record, TaskEvent event, WallTime now) {
  if (event.time == 0) event.time = now;
  if (event.fails_task()) record->failed = true;
  if (event.type == event_type::kRestarting) {
    ++record->restarts;
    record->last_restart = event.time;
  }
  record->events.push_back(std::move(event));
  if (record->events.size() > kMaxTaskEvents) {
    const auto surplus = static_cast<std::ptrdiff_t>(record->events.size() - kMaxTaskEvents);
    record->events.erase(record->events.begin(), record->events.begin() + surplus);
  }
}

void ChangeTaskState(TaskStateRecord* record, RunnerState state, WallTime now) {
  if (state == RunnerState::kRunning && record->state != RunnerState::kRunning)
    record->started_at = now;
  if (state == RunnerState::kDead && record->finished_at == 0) record->finished_at = now;
  if (state != RunnerState::kRunning) record->paused = record->unhealthy = false;
  record->state = state;
}

}  // namespace drover
