// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/alloc/alloc_state.h"
#include "host/scheduler/state_event.h"

// Functions that log task events and evaluations at level debug. They cost nothing while that
// level is off. Control thread only.
namespace drover {

// Logs the task events that NOW has and BEFORE does not have. BEFORE is null for a new allocation.
void LogTaskEvents(const AllocSnapshot& before, const AllocState& now);
// Logs the evaluations in CHANGES, which a write to the state store has stored.
void LogEvaluations(const std::vector<StateEvent>& changes);

}  // namespace drover
