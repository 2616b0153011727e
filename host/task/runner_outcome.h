// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/event.h"
#include "host/task/task_runner.h"

namespace drover {

// The progress and the result of TaskRunner::Run. Callers that wait for the end of Run share this
// object, so the object may outlive the runner.
struct TaskRunner::Outcome {
  explicit Outcome(Loop* loop) : ended(loop) {}
  bool begun = false;
  Event ended;
  Status kill_status;  // the result of the last stop that a kill requested
};

}  // namespace drover
