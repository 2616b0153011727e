// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/scratch.h"
#include "host/base/loop.h"
#include "host/process/process_service.h"

namespace drover::bench {

// Runs tasks by the process service alone. Each has a shim, with tracking, log descriptors and exit
// record, but no allocation, driver or events.
class ShimSpawn {
 public:
  ShimSpawn(RealLoop* loop, ProcessService* processes, const Scratch& scratch, std::string program);

  // Runs TASKS of them, IN_FLIGHT at once, and returns the seconds.
  double Run(int tasks, int in_flight);

  // Seconds from the call of Start until the program was executed, one value per task.
  std::vector<double>& latencies() { return latencies_; }

 private:
  Co<void> RunAll(int tasks, int in_flight);
  Co<void> RunSome();
  Co<void> RunOne();

  RealLoop* const loop_;
  ProcessService* const processes_;
  const std::string program_;
  UniqueFd logs_;
  int left_ = 0;
  std::vector<double> latencies_;
};

}  // namespace drover::bench
