// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace drover {

// Makes system calls of real programs fail, without a change of these programs. The calling thread,
// and all that it starts, has a filter for the rest of its life. The filter asks a thread of this
// process about each call, except calls that need no resource or that end a process. Needs root.
// One per process; it is never destroyed.
class SyscallFaults {
 public:
  // In place of the number of a process: this thread itself, until it has started one. Only calls
  // that make, open or send something count.
  static constexpr std::size_t kAgent = SIZE_MAX;
  // The same, but all of its calls count, also after it has started a process.
  static constexpr std::size_t kThisThread = SIZE_MAX - 1;

  // Installs the filter for the calling thread.
  static SyscallFaults& Install();

  struct Fault {
    long call = -1;  // its number; -1: none was injected
    pid_t pid = 0;
  };
  // From now on, one call of one process fails with ERROR. PROCESS numbers, from 0, the processes
  // that this thread starts, in the order of their births. AT numbers the calls of that process,
  // from 1; 0: none fails. Each process has a count of its own, because simultaneous calls of
  // several processes have another order each time. These calls do not count: those of the program
  // that execve executes, which is the task's; those of processes that begin after it; those of
  // threads beside the first; and those after the first message (sendto) behind the execve, which
  // reports that the task runs.
  void Arm(std::size_t process, int at, int error);
  // Ends that. Returns the failed call, and in PIDS the processes that made calls, in their order.
  Fault Disarm(std::vector<pid_t>* pids);

 private:
  SyscallFaults() = default;
};

}  // namespace drover
