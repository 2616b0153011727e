// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"
#include "host/process/process_spec.h"

namespace drover {

// The open files of a run's cgroups that show the usage of the run. They need up to six
// descriptors.
class RunUsage {
 public:
  // The borrowed descriptors of a run's cgroups. -1 means that the run has no such cgroup.
  struct Cgroups {
    int tracking = -1;  // the version 2 cgroup
    int memory = -1;    // MEMORY, CPU and CPUACCT: the cgroups of these version 1 controllers
    int cpu = -1;
    int cpuacct = -1;
  };
  static RunUsage Open(const Cgroups& cgroups);

  // Returns true if the kernel counts both memory and processor time of the whole run.
  bool counts_all() const { return (cpu_ || accounting_) && memory_ && memory_usage_; }
  // Sets the members of USAGE that the kernel counts for the whole run, and does not change the
  // other members.
  void Read(ProcessUsage* usage) const;

 private:
  void ReadTime(const std::string& cpu, ProcessUsage* usage) const;

  bool unified_memory_ = false;
  // The file cpu.stat of version 2 has the processor time and, with the cpu controller, the
  // throttling.
  UniqueFd cpu_;
  UniqueFd throttling_;  // cpu.stat of version 1
  UniqueFd accounting_;  // cpuacct.usage of version 1: total processor time in nanoseconds
  UniqueFd modes_;       // cpuacct.stat of version 1: user and system time, for their ratio
  UniqueFd memory_;      // memory.stat
  UniqueFd memory_usage_;
  UniqueFd memory_peak_;
  UniqueFd swap_;  // only version 2; in version 1, memory.stat has the swap
};

}  // namespace drover
