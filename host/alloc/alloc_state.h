// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/alloc/alloc_health.h"
#include "host/alloc/client_status.h"
#include "host/alloc/coordinator.h"
#include "host/spec/allocation.h"

namespace drover {

// The state of an allocation at one moment, as the store, the API and the event stream see it. The
// object never changes, so any thread may hold and read it.
struct AllocState {
  std::shared_ptr<const Allocation> alloc;  // the newest version that the runner has applied
  AllocStatus status;
  TaskStates tasks;
  LifecyclePhase phase = LifecyclePhase::kInit;
  std::optional<AllocHealth> health = {};  // absent until the verdict

  bool terminal() const { return IsTerminal(status.status); }
  // Returns whether a task has ever run.
  bool has_started() const {
    return std::ranges::any_of(tasks, [](const auto& task) {
      return task.second != nullptr && task.second->started_at != 0;
    });
  }
};
using AllocSnapshot = std::shared_ptr<const AllocState>;

}  // namespace drover
