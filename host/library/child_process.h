// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// Describes a child process that runs this program again for one small task, such as a probe or a
// case of the conformance kit.
struct ChildSpec {
  std::vector<std::string> arguments;    // without argv[0]
  std::vector<std::string> environment;  // the complete environment, as "NAME=value"
  // Becomes descriptor 3 of the child; the caller still owns it.
  int descriptor = -1;
  Duration limit = 5s;
  // When LIMIT is over, the child gets SIGTERM and then has this time to end by itself. If this
  // time is 0, the child's process group is killed immediately.
  Duration grace{0};
};

struct ChildEnd {
  bool timed_out = false;  // the limit was over, so the process group was killed
  int exit_code = -1;
  int signal = 0;
  std::string output;       // what the child wrote to its descriptor 4, at most 4 MiB
  std::string stderr_tail;  // the last 4 KiB of the child's standard error
};

// Runs a child and blocks until it has ended. The child's standard input and output are /dev/null.
// The child leads a process group, which is always killed at the end. Any thread.
Result<ChildEnd> RunChildProcess(const ChildSpec& spec);

}  // namespace drover
