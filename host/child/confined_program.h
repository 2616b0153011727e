// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/child/child_process.h"

namespace drover {

// Describes a program that reads hostile input, so it runs in a process without rights. The program
// must be static, because it can open no library.
struct ConfinedProgram {
  int program = -1;                      // its open file; the caller still owns it
  std::string name;                      // argv[0], which process lists show
  std::vector<std::string> environment;  // the complete environment, as "NAME=value"
  std::string input;                     // what it reads from its standard input
  // A directory whose files it may read, also those below. Empty: it may read no file. Needs
  // Landlock in the kernel.
  std::string files_below;

  Duration limit = 2s;
  std::size_t most_memory = std::size_t{256} << 20;  // of its own data
  std::size_t most_output = std::size_t{8} << 20;    // after that it is killed
};

// Runs the program and blocks until it has ended; ChildEnd::output is what it wrote to its standard
// output. The program can compute and use its standard descriptors, and nothing else: it reaches no
// file but those of FILES_BELOW, no network, no other process, and it can start none. It has no
// capability, and a user of its own if this process is root and may change its user. If it may read
// files, it keeps the right to read those of all users, since Landlock restricts it to the
// directory. When the calling thread ends, the kernel kills it. [any thread]
Result<ChildEnd> RunConfined(const ConfinedProgram& spec);

}  // namespace drover
