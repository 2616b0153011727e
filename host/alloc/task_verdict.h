// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/alloc/coordinator.h"
#include "host/spec/job.h"
#include "host/task/task_event.h"

namespace drover {

// What the states of the tasks mean for their allocation. Poststop tasks are ignored, since they
// start when all other tasks are dead.
struct TaskVerdict {
  // The reason why the remaining tasks must be killed. If it is absent, they may continue.
  std::optional<TaskEvent> kill_event;
  bool any_live = false;  // whether a task is pending or running
};

TaskVerdict JudgeTasks(const TaskGroup& group, const TaskStates& states);

}  // namespace drover
