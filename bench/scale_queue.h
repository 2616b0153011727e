// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/agent_process.h"

namespace drover::bench {

struct QueueCost {
  double evaluations_per_job = 0;  // how often an evaluation was written, over all jobs
  double seconds = 0;              // from the first submit until the last job has ended
};

// Submits JOBS jobs; the machine has room for one at a time.
QueueCost MeasureQueue(const AgentProcess& agent, int jobs);

}  // namespace drover::bench
