// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// Describes a child process that runs this program again for a part of its work.
struct SelfSpawn {
  struct Descriptor {
    int fd;      // descriptor of this process; the caller still owns it
    int number;  // descriptor number in the child, below 16
  };

  std::string name = "drover";           // argv[0], which process lists show
  std::vector<std::string> arguments;    // without argv[0]
  std::vector<std::string> environment;  // the complete environment, as "NAME=value"
  // Descriptors of the child. Each of 0, 1 and 2 that is missing here becomes /dev/null.
  std::vector<Descriptor> descriptors;
  // If true, the child leads a session of its own, otherwise only a process group of its own.
  bool own_session = false;
};

// Starts the child from /proc/self/exe, so that it always has this program's version. The child
// leads its own process group, because a terminal's interrupt is meant for the parent. No signal
// is blocked or ignored in the child. Blocks until the child executes the program. The caller must
// reap the child with WaitForChild. [any thread]
Result<pid_t> SpawnSelf(SelfSpawn spec);

// Returns the environment of this process, except variables whose name begins with WITHOUT.
// [any thread]
std::vector<std::string> OwnEnvironment(std::string_view without = {});

// Calls waitid for the child PID, with WEXITED and FLAGS (WNOHANG, WNOWAIT), and again after a
// signal interrupts it. Returns true if the child has ended and INFO describes its end. Blocks
// until then, unless FLAGS has WNOHANG. [any thread]
bool WaitForChild(pid_t pid, int flags, siginfo_t* info);

}  // namespace drover
