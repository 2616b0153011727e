// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace drover::bench {

// The kernel's facts about one process. All zero for one that has ended.
struct ProcFacts {
  long descriptors = 0;
  long threads = 0;
  long pss_kib = 0;  // proportional: a page that N processes share counts 1/N
};
ProcFacts ReadProcFacts(pid_t pid);

struct Descendant {
  pid_t pid = 0;
  std::string name;  // the first 15 characters of the program's name
  bool zombie = false;
};
// The descendants of this process. They include detached processes if this process is their
// subreaper.
std::vector<Descendant> Descendants();

}  // namespace drover::bench
