// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/client_status.h"

namespace drover {

AllocStatus ComputeAllocStatus(const TaskStates& states) {
  bool running = false;
  bool pending = states.empty();
  for (const auto& [name, state] : states) {
    switch (state->state) {
      case RunnerState::kPending:
        pending = true;
        break;
      case RunnerState::kRunning:
        running = true;
        break;
      case RunnerState::kDead:
        if (state->failed) return {ClientStatus::kFailed, "Failed tasks"};
        break;
    }
  }
  if (running) return {ClientStatus::kRunning, "Tasks are running"};
  if (pending) return {ClientStatus::kPending, "No tasks have started"};
  return {ClientStatus::kComplete, "All tasks have completed"};
}

}  // namespace drover
