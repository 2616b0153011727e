// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "bench/local_node.h"

namespace drover::bench {

// The cost of an idle task without its own process. Each value is the difference between no task
// and TASKS.
struct IdleCost {
  double helpers = 0;             // processes per task
  double helper_pss_kib = 0;      // of all helpers of one task
  double agent_pss_kib = 0;       // the growth of the agent, per task
  double agent_descriptors = 0;   // per task
  long helper_descriptors = 0;    // of the helper with the most
  double agent_cpu_percent = 0;   // of one core, with all tasks idle
  long agent_threads_growth = 0;  // over all tasks
};

// Runs JOB TASKS times, measures, and ends the tasks. The task of JOB is a program NAME (at most 15
// characters) that sleeps. Makes this process the subreaper of all that it starts, for good.
IdleCost MeasureIdle(LocalNode* node, std::shared_ptr<const Job> job, const std::string& name,
                     int tasks);
void PrintIdle(const std::string& driver, const IdleCost& cost, int tasks);

}  // namespace drover::bench
