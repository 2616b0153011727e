// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace drover {

// Makes system calls fail, of real programs and without a seam in them: a filter that the calling
// thread, and all that it starts, has for the rest of its life asks a thread of this process about
// each call. Calls that want nothing that could run out, or that end a process, are not asked
// about. Needs root. One per process; it is never destroyed.
class SyscallFaults {
 public:
  // Instead of the number of a process: this thread itself, until it has started one. Only calls by
  // which it makes, opens or sends something count.
  static constexpr std::size_t kAgent = SIZE_MAX;
  // The same with all its calls, also after it has started a process.
  static constexpr std::size_t kThisThread = SIZE_MAX - 1;

  // Installs the filter for the calling thread.
  static SyscallFaults& Install();

  struct Fault {
    long call = -1;  // its number; -1: none was injected
    pid_t pid = 0;
  };
  // From now on call number AT (from 1; 0: none) of process number PROCESS (from 0), of those that
  // this thread starts, in the order of their births, fails with ERROR. Simultaneous calls of
  // several processes have another order each time, so each process has a count of its own. Not
  // counted are: the program that execve executes, which is the task's; whatever begins after it;
  // threads beside the first; and all calls after the first message (sendto) that follows it, which
  // reports that the task runs.
  void Arm(std::size_t process, int at, int error);
  // Ends that; what has failed, and by PIDS the processes that were asked about, in their order.
  Fault Disarm(std::vector<pid_t>* pids);

 private:
  SyscallFaults() = default;
};

}  // namespace drover
