// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <vector>

namespace drover {

struct ConfinedCalls {
  std::vector<sock_filter> filter;
  std::size_t own_pid;  // the instruction whose value must become the pid of the process
};

// Returns the filter of system calls for a program without rights. It allows only what a program
// needs to compute, with threads: memory of its own, time, random numbers, the descriptors that it
// has, and signals to itself. So the program reaches no file, no network, no process and no part of
// the machine. All other calls fail with EPERM. With READS_FILES it may also open files for
// reading; which ones is left to Landlock. The list is that of the runtime of Go 1.19 to 1.26.
ConfinedCalls CallsOfConfinedPrograms(bool reads_files);

}  // namespace drover
