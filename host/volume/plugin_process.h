// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/child/child_process.h"

namespace drover {

// A call of a volume plugin, which is a program of the operator.
struct PluginProcess {
  std::string program;                   // its path
  std::string argument;                  // the operation
  std::vector<std::string> environment;  // the complete environment, as "NAME=value"
  std::string directory;                 // where the program begins
  Duration limit{0};                     // then it gets SIGTERM, and 5 s later SIGKILL
  int stop = -1;                         // see AwaitedChild::stop
};

// The most that a plugin may write to its standard output. After that it is killed.
inline constexpr std::size_t kMostPluginOutput = std::size_t{64} << 10;

// Runs the program with the rights of the agent, and blocks until it has ended. It leads a process
// group, which is killed at the end. Its standard input is /dev/null. [any thread]
Result<ChildEnd> RunPluginProcess(const PluginProcess& spec);

}  // namespace drover
