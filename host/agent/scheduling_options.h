// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/config/agent_config.h"
#include "host/node/kept_state.h"
#include "host/node/node.h"
#include "host/scheduler/scheduler.h"

namespace drover {

// Returns what a scheduler must know of NODE, of SERVER, and of the state KEPT, which is null if
// the agent keeps none. NODE and KEPT must outlive the scheduler.
SchedulerOptions SchedulingOptions(Node* node, KeptState* kept, const AgentConfig::Server& server);

}  // namespace drover
