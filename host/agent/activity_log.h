// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/alloc/alloc_state.h"
#include "host/scheduler/state_event.h"

// Logs task events and evaluations at level debug. Costs nothing while that level is off. Control
// thread only.
namespace drover {

// Logs the task events of NOW that BEFORE does not have. BEFORE is null for a new allocation.
void LogTaskEvents(const AllocSnapshot& before, const AllocState& now);
// Logs the evaluations that a write has stored.
void LogEvaluations(const std::vector<StateEvent>& changes);

}  // namespace drover
