// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// What a process keeps that fetches something from the network.
struct NetworkRights {
  int writable = -1;                  // the open directory in which it may change everything
  std::vector<std::string> readable;  // files and directories; those that are missing are left out
  // Whether it may execute programs, namely those of READABLE. They have the same rights.
  bool starts_programs = false;
  // Whether it keeps the right of root to pass through all directories. Programs need it that reach
  // WRITABLE by its path. They may still open only what the rules allow.
  bool passes_directories = false;
  // Whether it goes on where the kernel has no Landlock. Then it can read what all users can.
  bool without_rules = false;

  std::uint64_t most_memory = std::uint64_t{1} << 30;  // of each process's own data
  std::uint64_t most_file = 0;                         // bytes of the longest file
  std::uint64_t most_seconds = 3600;                   // of processor time
  std::uint64_t most_descriptors = 256;
  std::uint64_t most_processes = 4096;  // with threads, of all processes that fetch something
};

// Gives up all rights of this process but RIGHTS and the network. If this process is root, it gets
// a user of its own, to whom WRITABLE should belong. The process must have one thread. The kernel
// kills it when the thread that started it ends. After an error, the process must end.
Status GiveUpAllButNetwork(const NetworkRights& rights);

}  // namespace drover
