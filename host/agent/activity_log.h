// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/alloc/alloc_state.h"
#include "host/scheduler/state_event.h"

// What happens, line by line, in a log of the level debug. It costs nothing while nobody reads
// that. Control thread only.
namespace drover {

// The events of tasks that BEFORE, null for nothing, has not had.
void LogTaskEvents(const AllocSnapshot& before, const AllocState& now);
// The evaluations that a write has put.
void LogEvaluations(const std::vector<StateEvent>& changes);

}  // namespace drover
