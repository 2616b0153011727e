// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_state.h"

#include <algorithm>

namespace drover {
namespace {

// Removes the report of PHASE, and the oldest one if there is no room for one more.
void DropOldProgress(TaskStateRecord* record, std::string_view phase) {
  std::erase_if(record->events, [phase](const SharedTaskEvent& event) {
    return IsProgress(event) && event->Detail(event_key::kProgressPhase) == phase;
  });
  const auto is_report = [](const SharedTaskEvent& event) { return IsProgress(event); };
  const auto reports = std::count_if(record->events.begin(), record->events.end(), is_report);
  if (static_cast<std::size_t>(reports) < kMaxProgressEvents) return;
  record->events.erase(std::find_if(record->events.begin(), record->events.end(), is_report));
}

}  // namespace

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
  if (IsProgress(event)) DropOldProgress(record, event.Detail(event_key::kProgressPhase));
  record->events.push_back(std::move(event));
  if (record->events.size() > kMaxTaskEvents) {
    const auto surplus = static_cast<std::ptrdiff_t>(record->events.size() - kMaxTaskEvents);
    record->events.erase(record->events.begin(), record->events.begin() + surplus);
  }
}

std::size_t FirstNewEvent(const TaskStateRecord& before, const TaskStateRecord& now) {
  for (auto known = before.events.rbegin(); known != before.events.rend(); ++known) {
    const auto last = std::find(now.events.rbegin(), now.events.rend(), *known);
    if (last != now.events.rend()) {
      return static_cast<std::size_t>(last.base() - now.events.begin());
    }
    // Only a report of progress can be gone while events before it are still there.
    if (!IsProgress(*known)) break;
  }
  return 0;
}

void ChangeTaskState(TaskStateRecord* record, RunnerState state, WallTime now) {
  if (state == RunnerState::kRunning && record->state != RunnerState::kRunning)
    record->started_at = now;
  if (state == RunnerState::kDead && record->finished_at == 0) record->finished_at = now;
  if (state != RunnerState::kRunning) record->paused = record->unhealthy = false;
  record->state = state;
}

}  // namespace drover
