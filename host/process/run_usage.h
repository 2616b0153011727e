// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"
#include "host/process/process_spec.h"

namespace drover {

// The files of a run's cgroups that show its usage, kept open: up to six descriptors.
class RunUsage {
 public:
  // The cgroups of a run, borrowed; -1: it has none.
  struct Cgroups {
    int tracking = -1;  // of version 2
    int memory = -1;    // this and the following: of the version 1 controllers
    int cpu = -1;
    int cpuacct = -1;
  };
  static RunUsage Open(const Cgroups& cgroups);

  // True if the kernel counts both memory and processor time of the whole run.
  bool counts_all() const { return (cpu_ || accounting_) && memory_ && memory_usage_; }
  // Sets the members that the kernel counts for the whole run, and leaves the others.
  void Read(ProcessUsage* usage) const;

 private:
  void ReadTime(const std::string& cpu, ProcessUsage* usage) const;

  bool unified_memory_ = false;
  UniqueFd cpu_;  // cpu.stat of version 2: processor time, and throttling with the controller
  UniqueFd throttling_;  // cpu.stat of version 1
  UniqueFd accounting_;  // cpuacct.usage of version 1: nanoseconds
  UniqueFd modes_;       // cpuacct.stat of version 1: how user and system time share them
  UniqueFd memory_;      // memory.stat
  UniqueFd memory_usage_;
  UniqueFd memory_peak_;
  UniqueFd swap_;  // version 2 only; version 1 has it in memory.stat
};

}  // namespace drover
