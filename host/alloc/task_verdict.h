// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/alloc/coordinator.h"
#include "host/spec/job.h"
#include "host/task/task_event.h"

namespace drover {

// What the states of its tasks mean for an allocation. Poststop tasks are not looked at: they come
// when the others have gone.
struct TaskVerdict {
  // Why the tasks that are left must be killed; absent: they may go on.
  std::optional<TaskEvent> kill_event;
  bool any_live = false;  // a task is pending or running
};

TaskVerdict JudgeTasks(const TaskGroup& group, const TaskStates& states);

}  // namespace drover
