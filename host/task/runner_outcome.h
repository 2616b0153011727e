// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/event.h"
#include "host/task/task_runner.h"

namespace drover {

// The end of TaskRunner::Run. The callers that wait for this end share this object, which may
// therefore outlive the runner.
struct TaskRunner::Outcome {
  explicit Outcome(Loop* loop) : ended(loop) {}
  bool begun = false;
  Event ended;
  Status kill_status;  // the result of the last stop that a kill requested
};

}  // namespace drover
