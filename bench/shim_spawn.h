// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/scratch.h"
#include "host/base/loop.h"
#include "host/process/process_service.h"

namespace drover::bench {

// Runs tasks by the process service alone: a shim each, with tracking, log descriptors and exit
// record, but without allocation, driver or events.
class ShimSpawn {
 public:
  ShimSpawn(RealLoop* loop, ProcessService* processes, const Scratch& scratch, std::string program);

  // Seconds for TASKS of them, IN_FLIGHT at once.
  double Run(int tasks, int in_flight);

  // From the call of Start until the program was executed, in seconds: one per task run.
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
