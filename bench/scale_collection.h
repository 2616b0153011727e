// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/agent_process.h"

namespace drover::bench {

// The longest waits for answers to small requests, on two connections. Each of the two threads of
// the API has one connection. A pause of the control thread shows on both. A pause of one API
// thread, which makes a long list for another client, shows on one.
struct Pauses {
  double longest_ms = 0;  // of both
  double both_ms = 0;     // the longest of the faster connection
};

struct CollectionCost {
  Pauses idle;              // in two seconds without work
  Pauses busy;              // while the allocations are collected
  double ended_kib = 0;     // the agent's memory for an ended allocation
  double kept_percent = 0;  // the part of that which the agent still has afterwards
  // The growth of the agent's memory by as many allocations more: with them, and once they are
  // collected. They use the free pages, and the room of bounded logs, again.
  double again_ended_kib = 0;
  double again_kept_kib = 0;
};

// Runs ALLOCS short tasks of one job, then has the agent collect them; twice.
CollectionCost MeasureCollection(const AgentProcess& agent, int allocs);

}  // namespace drover::bench
