// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bench/local_node.h"

namespace drover::bench {

// Runs tasks through the whole node: an allocation of JOB for each.
class AllocSpawn {
 public:
  AllocSpawn(LocalNode* node, std::shared_ptr<const Job> job) : node_(node), job_(std::move(job)) {}

  // Runs TASKS of them, IN_FLIGHT at once, and returns the seconds.
  double Run(int tasks, int in_flight);

  // Seconds until the program was executed, one value per task: from the allocation's start, and
  // from the task's turn (when its gate opened).
  std::vector<double>& from_start() { return from_start_; }
  std::vector<double>& from_gate() { return from_gate_; }

 private:
  Co<void> RunAll(int tasks, int in_flight);
  Co<void> RunSome();
  Co<void> RunOne();

  LocalNode* const node_;
  const std::shared_ptr<const Job> job_;
  int left_ = 0;
  std::vector<double> from_start_;
  std::vector<double> from_gate_;
};

}  // namespace drover::bench
