// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bench/local_node.h"

namespace drover::bench {

// Runs tasks the whole way: an allocation of JOB each.
class AllocSpawn {
 public:
  AllocSpawn(LocalNode* node, std::shared_ptr<const Job> job) : node_(node), job_(std::move(job)) {}

  // Seconds for TASKS of them, IN_FLIGHT at once.
  double Run(int tasks, int in_flight);

  // Seconds, one per task run: from the start of the allocation until the program was executed, and
  // from the task's turn (its gate has let it through).
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
