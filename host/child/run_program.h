// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/child/child_process.h"

namespace drover {

// Describes a program that the operator has installed, such as a network plugin. It gets the rights
// of this process and no descriptors of it but those named here, and begins in the directory /.
struct ProgramRun {
  std::string program;                   // an absolute path
  std::vector<std::string> arguments;    // without argv[0]
  std::vector<std::string> environment;  // the complete environment, as "NAME=value"
  std::string input;                     // what it reads from its standard input
  // Becomes descriptor 3 of the program, and of the programs that it starts. So a lock on it tells
  // whether one of them still runs. The caller still owns it. -1: none.
  int descriptor = -1;

  Duration limit = 30s;
  Duration grace{0};                               // see ChildSpec::grace
  int stop = -1;                                   // see AwaitedChild::stop
  std::size_t most_output = std::size_t{1} << 20;  // after that it is killed
};

// Runs the program and blocks until it has ended; ChildEnd::output is what it wrote to its standard
// output. It leads a process group, which is always killed at the end. [any thread]
Result<ChildEnd> RunProgram(const ProgramRun& run);

}  // namespace drover
