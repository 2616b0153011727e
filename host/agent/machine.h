// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/scheduler/node_interface.h"
#include "host/spec/job.h"

namespace drover {

// What jobs read as ${attr.nomad.version}: that of the API and the job specification which this
// program takes after. Many jobs ask for a version that has what they use.
inline constexpr char kNomadVersion[] = "2.0.0";

// What is known of this machine.
struct Machine {
  std::string hostname;
  int cores = 1;
  std::vector<int> core_ids;  // those that this process may use, in their order
  double core_mhz = 0;        // of one core; 0: not known
  std::uint64_t memory_bytes = 0;
  std::vector<NodeInterface> interfaces;  // see ReadInterfaces
  // As ${attr.KEY} finds them: "kernel.name", "kernel.version", "cpu.arch", "cpu.numcores", ...
  StringMap attributes;
};

Machine ReadMachine();

}  // namespace drover
