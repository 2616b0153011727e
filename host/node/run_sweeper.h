// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// A child process of a foreground run that cleans up when the run is killed. It waits until the
// shims have stopped their tasks gracefully. Then it removes everything that the run's ledger
// names, such as directories. It has a session of its own, so a signal to the run's process group
// does not end it. It stays in the run's mount namespace, where the secrets are mounted.
class RunSweeper {
 public:
  // Starts the child. Call it before this process has threads, and while the standard file
  // descriptors are open. PATIENCE is how long a task may take to stop.
  static Result<RunSweeper> Start(const std::string& run_dir, Duration patience);
  // Ends the child process without a cleanup, since the foreground run has ended by itself and has
  // cleaned up.
  ~RunSweeper();
  RunSweeper(RunSweeper&&) = default;

 private:
  RunSweeper(pid_t child, UniqueFd run) : child_(child), run_(std::move(run)) {}
  pid_t child_;
  UniqueFd run_;  // the kernel closes it when this process dies
};

}  // namespace drover
