// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/alloc/alloc_state.h"
#include "host/state/state_event.h"

// Functions that log task events and evaluations at level debug. The functions cost nothing while
// that level is off. Control thread only.
namespace drover {

// Logs each task event in NOW that is newer than the task's last event in BEFORE. BEFORE is the
// previous state of the allocation, or null for a new allocation.
void LogTaskEvents(const AllocSnapshot& before, const AllocState& now);
// Logs the evaluations in CHANGES, which a write to the state store has stored.
void LogEvaluations(const std::vector<StateEvent>& changes);

}  // namespace drover
