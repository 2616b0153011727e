// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// This program, started again for a part of its work.
struct SelfSpawn {
  struct Descriptor {
    int fd;      // of this process; not consumed
    int number;  // that it becomes in the child, below 16
  };

  std::string name = "drover";           // argv[0], for lists of processes
  std::vector<std::string> arguments;    // behind it
  std::vector<std::string> environment;  // the whole of it: "NAME=value"
  std::vector<Descriptor> descriptors;   // of the first three, those that are missing are /dev/null
  bool own_session = false;              // not only a process group
};

// Starts it through /proc/self/exe: nothing more to install, and always of the same version. The
// child leads a process group, since a terminal's interrupt is for its parent, and has no signal
// blocked or ignored. Blocks until it executes the program. The caller reaps it by WaitForChild.
// [any thread]
Result<pid_t> SpawnSelf(SelfSpawn spec);

// The environment of this process, without what begins with WITHOUT. [any thread]
std::vector<std::string> OwnEnvironment(std::string_view without = {});

// waitid for the end of the child PID, with FLAGS (WNOHANG, WNOWAIT) beside WEXITED, whatever
// signals come meanwhile. True when INFO has its end. Without WNOHANG it blocks. [any thread]
bool WaitForChild(pid_t pid, int flags, siginfo_t* info);

}  // namespace drover
