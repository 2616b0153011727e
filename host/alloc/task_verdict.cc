// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/task_verdict.h"

namespace drover {

TaskVerdict JudgeTasks(const TaskGroup& group, const TaskStates& states) {
  TaskVerdict verdict;
  const Task* failed = nullptr;
  bool leader_dead = false;
  bool only_sidecars_live = true;
  for (const Task& task : group.tasks) {
    const auto found = states.find(task.name);
    if (IsPoststop(task) || found == states.end()) continue;
    const TaskStateRecord& state = *found->second;
    if (state.state != RunnerState::kDead) {
      verdict.any_live = true;
      if (!IsSidecar(task)) only_sidecars_live = false;
      continue;
    }
    if (state.failed && failed == nullptr) failed = &task;
    if (task.leader) leader_dead = true;
  }
  if (!verdict.any_live) return verdict;
  if (leader_dead) {
    verdict.kill_event = TaskEvent(event_type::kLeaderDead);
  } else if (failed != nullptr) {
    verdict.kill_event =
        TaskEvent(event_type::kSiblingFailed).With(event_key::kFailedSibling, failed->name);
  } else if (only_sidecars_live) {
    verdict.kill_event = TaskEvent(event_type::kMainDead);
  }
  return verdict;
}

}  // namespace drover
