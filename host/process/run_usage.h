// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/unique_fd.h"
#include "host/process/process_spec.h"

namespace drover {

// The files of a run's cgroups that tell what it uses, kept open: up to five descriptors.
class RunUsage {
 public:
  // TRACKING is the run's cgroup of version 2, MEMORY and CPU are those of the controllers of
  // version 1, as far as the run has them, else -1; all borrowed.
  static RunUsage Open(int tracking, int memory, int cpu);

  // Whether memory and processor time both are counted for the run as a whole.
  bool tells_all() const { return cpu_ && memory_ && memory_usage_; }
  // Sets what the kernel counts for the run as a whole. What it does not count stays as it is.
  void Read(ProcessUsage* usage) const;

 private:
  bool unified_memory_ = false;
  UniqueFd cpu_;  // cpu.stat of version 2: processor time, and throttling with the controller
  UniqueFd throttling_;  // cpu.stat of version 1
  UniqueFd memory_;      // memory.stat
  UniqueFd memory_usage_;
  UniqueFd memory_peak_;
  UniqueFd swap_;  // version 2 only; version 1 has it in memory.stat
};

}  // namespace drover
