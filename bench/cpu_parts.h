// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"

namespace drover::bench {

// Processor time in microseconds, by who spent it. What the kernel's own threads do for all (ends
// of mounts, of cgroups and of memory) is nobody's.
struct CpuParts {
  double control = 0;   // of this program: the thread that asks
  double threads = 0;   // of this program: all others
  double children = 0;  // helpers, and programs without a cgroup of their own
  double programs = 0;  // in the cgroups of tasks

  double total() const { return control + threads + children + programs; }
  CpuParts& operator+=(const CpuParts& other);
  CpuParts operator-(const CpuParts& other) const;
  CpuParts operator/(double count) const;
};

// Counts by cgroups: moves this program into one of its own, that of SCRATCH, for as long as it
// lives. Other tasks on this machine would be counted as programs.
class CpuMeter {
 public:
  explicit CpuMeter(const Scratch& scratch);
  CpuMeter(const CpuMeter&) = delete;
  CpuMeter& operator=(const CpuMeter&) = delete;
  ~CpuMeter();

  // False where there are no cgroups to count by: then all is zero.
  bool works() const { return !own_.empty(); }
  // Since the beginning. By the control thread.
  CpuParts Now() const;

 private:
  std::string own_;
  std::string before_;  // where this program was
  std::string tasks_;
};

}  // namespace drover::bench
