// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"

namespace drover::bench {

// Processor time in microseconds, by who spent it. It does not contain the work of the kernel's own
// threads, which end mounts, cgroups and memory for all processes.
struct CpuParts {
  double control = 0;   // of this program: the calling thread
  double threads = 0;   // of this program: all others
  double children = 0;  // helpers, and programs without a cgroup of their own
  double programs = 0;  // in the cgroups of tasks

  double total() const { return control + threads + children + programs; }
  CpuParts& operator+=(const CpuParts& other);
  CpuParts operator-(const CpuParts& other) const;
  CpuParts operator/(double count) const;
};

// Counts by cgroups. While it lives, this program is in a cgroup of its own, that of SCRATCH. Other
// tasks on this machine would count as programs.
class CpuMeter {
 public:
  explicit CpuMeter(const Scratch& scratch);
  CpuMeter(const CpuMeter&) = delete;
  CpuMeter& operator=(const CpuMeter&) = delete;
  ~CpuMeter();

  // Returns false where there are no cgroups to count by: then all values are zero.
  bool works() const { return !own_.empty(); }
  // The time since the beginning. Call it on the control thread.
  CpuParts Now() const;

 private:
  std::string own_;
  std::string before_;  // where this program was
  std::string tasks_;
};

}  // namespace drover::bench
