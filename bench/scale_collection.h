// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/agent_process.h"

namespace drover::bench {

struct CollectionCost {
  double idle_pause_ms = 0;  // the longest answer of the control thread in two seconds without work
  double pause_ms = 0;       // the longest while the allocations are collected
  double ended_kib = 0;      // what an ended allocation keeps of the agent's memory
  double kept_percent = 0;   // how much of that the agent still has afterwards
};

// Runs ALLOCS short tasks of one job, then has the agent collect them.
CollectionCost MeasureCollection(const AgentProcess& agent, int allocs);

}  // namespace drover::bench
