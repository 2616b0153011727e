// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace drover::bench {

// What the kernel says about one process. All zero for one that has ended.
struct ProcFacts {
  long descriptors = 0;
  long threads = 0;
  long pss_kib = 0;  // its part of the memory, pages that it shares divided by who shares them
};
ProcFacts ReadProcFacts(pid_t pid);

struct Descendant {
  pid_t pid = 0;
  std::string name;  // of the program, 15 characters of it
  bool zombie = false;
};
// The children of this process, theirs and so on. Detached processes are among them if this process
// is their subreaper.
std::vector<Descendant> Descendants();

}  // namespace drover::bench
