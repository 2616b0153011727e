// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// This program, run again for one small task: a probe, a case of the conformance kit.
struct ChildSpec {
  std::vector<std::string> arguments;    // behind argv[0]
  std::vector<std::string> environment;  // the whole of it: "NAME=value"
  int descriptor = -1;                   // becomes descriptor 3 of the child; not consumed
  Duration limit = 5s;
  // When the time is over the child itself gets SIGTERM, and so long to end by itself.
  Duration grace{0};
};

struct ChildEnd {
  bool timed_out = false;  // its process group was killed
  int exit_code = -1;
  int signal = 0;
  std::string output;       // what it wrote to its descriptor 4, at most 4 MiB
  std::string stderr_tail;  // the last 4 KiB of its standard error
};

// Blocks until the child has ended. Standard input and output of the child are /dev/null. The child
// leads a process group, which is killed as a whole at the end, whichever way it came. Any thread.
Result<ChildEnd> RunChildProcess(const ChildSpec& spec);

}  // namespace drover
