// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"
#include "host/process/process_spec.h"

namespace drover {

// The files of a run's cgroups that tell what it uses, kept open: up to six descriptors.
class RunUsage {
 public:
  // The cgroups of a run, borrowed; -1: it has none.
  struct Cgroups {
    int tracking = -1;  // of version 2
    int memory = -1;    // the others are those of the controllers of version 1
    int cpu = -1;
    int cpuacct = -1;
  };
  static RunUsage Open(const Cgroups& cgroups);

  // Whether memory and processor time both are counted for the run as a whole.
  bool tells_all() const { return (cpu_ || accounting_) && memory_ && memory_usage_; }
  // Sets what the kernel counts for the run as a whole. What it does not count stays as it is.
  void Read(ProcessUsage* usage) const;

 private:
  void ReadTime(const std::string& cpu, ProcessUsage* usage) const;

  bool unified_memory_ = false;
  UniqueFd cpu_;  // cpu.stat of version 2: processor time, and throttling with the controller
  UniqueFd throttling_;  // cpu.stat of version 1
  UniqueFd accounting_;  // cpuacct.usage of version 1: nanoseconds
  UniqueFd modes_;       // cpuacct.stat of version 1: how much of them was the task's own code
  UniqueFd memory_;      // memory.stat
  UniqueFd memory_usage_;
  UniqueFd memory_peak_;
  UniqueFd swap_;  // version 2 only; version 1 has it in memory.stat
};

}  // namespace drover
