// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/spec/job.h"
#include "host/state/node_interface.h"

namespace drover {

// The value of ${attr.nomad.version} in jobs. It is the version of the API and of the job
// specification that this program follows. Many jobs require a version that has the features they
// use.
inline constexpr char kNomadVersion[] = "2.0.0";

// The properties of this machine.
struct Machine {
  std::string hostname;
  int cores = 1;
  std::vector<int> core_ids;  // the cores that this process may use, ascending
  double core_mhz = 0;        // the frequency of one core; 0: unknown
  std::uint64_t memory_bytes = 0;
  std::vector<NodeInterface> interfaces;  // see ReadInterfaces
  // The values of ${attr.KEY} by KEY, such as "kernel.name", "kernel.version" or "cpu.arch".
  StringMap attributes;
};

Machine ReadMachine();

}  // namespace drover
