// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

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
  bool stopped = false;    // the caller wanted its end; see AwaitedChild::stop
  bool too_long = false;   // the output was longer than its limit; see AwaitedChild::ends_when_full
  int exit_code = -1;
  int signal = 0;
  std::string output;       // the first bytes of the output, at most its limit
  std::string stderr_tail;  // the last bytes of the child's standard error, at most their limit
};

// Runs a child and blocks until it has ended. The child's standard input and output are /dev/null.
// The child leads a process group, which is always killed at the end. The output is what the child
// wrote to its descriptor 4, at most 4 MiB of it. Of the standard error, 4 KiB are kept. Any
// thread.
Result<ChildEnd> RunChildProcess(const ChildSpec& spec);

struct ChildPipe {
  UniqueFd read;  // does not block
  UniqueFd write;
};
Result<ChildPipe> MakeChildPipe();

// A child that has started, and the read ends of its pipes.
struct AwaitedChild {
  pid_t pid = 0;
  UniqueFd output;
  UniqueFd errors;
  std::size_t most_output = std::size_t{4} << 20;
  std::size_t most_errors = std::size_t{4} << 10;
  // A descriptor of the caller, or -1. When it can be read, the child is ended as at its limit.
  int stop = -1;
  bool ends_when_full = false;  // whether the child is killed when its output is too long
  Duration limit{0};
  Duration grace{0};
};

// Blocks until the child has ended, and reaps it. The child must lead a process group, which is
// always killed at the end. No other code may wait for the child. [any thread]
ChildEnd AwaitChild(AwaitedChild child);

}  // namespace drover
