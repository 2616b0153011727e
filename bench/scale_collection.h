// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/agent_process.h"

namespace drover::bench {

// The longest answers of the control thread to small requests, on two connections. Each of the two
// threads of the API has one of them, so what only one of them waits for is its thread, which makes
// a long list for another client. A pause of the control thread shows on both.
struct Pauses {
  double longest_ms = 0;  // of both
  double both_ms = 0;     // the longest of the faster connection
};

struct CollectionCost {
  Pauses idle;              // in two seconds without work
  Pauses busy;              // while the allocations are collected
  double ended_kib = 0;     // what an ended allocation keeps of the agent's memory
  double kept_percent = 0;  // how much of that the agent still has afterwards
  // The same for as many allocations more: what the agent's memory grows by, with them and once
  // they are collected, too. What free pages and bounded logs hold, they use again.
  double again_ended_kib = 0;
  double again_kept_kib = 0;
};

// Runs ALLOCS short tasks of one job, then has the agent collect them; twice.
CollectionCost MeasureCollection(const AgentProcess& agent, int allocs);

}  // namespace drover::bench
