// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/alloc/coordinator.h"
#include "host/spec/job.h"
#include "host/task/task_event.h"

namespace drover {

// The consequence of the tasks' states for their allocation. Poststop tasks do not count: they
// start when the others are dead.
struct TaskVerdict {
  // Why the remaining tasks must be killed; absent: they may continue.
  std::optional<TaskEvent> kill_event;
  bool any_live = false;  // a task is pending or running
};

TaskVerdict JudgeTasks(const TaskGroup& group, const TaskStates& states);

}  // namespace drover
