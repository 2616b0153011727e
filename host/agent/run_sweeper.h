// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// A child of a foreground run that cleans up when the run is killed. It waits until the shims have
// stopped their tasks in order, and then removes whatever the run's ledger names, such as the
// directories. It has a session of its own, so a signal to the run's process group does not end it.
// It stays in the run's mount namespace, where the secrets are mounted.
class RunSweeper {
 public:
  // Call it before this process has threads, with open standard descriptors. PATIENCE: how long a
  // task may take to stop.
  static Result<RunSweeper> Start(const std::string& run_dir, Duration patience);
  // The run has ended by itself and has cleaned up: the sweeper ends too.
  ~RunSweeper();
  RunSweeper(RunSweeper&&) = default;

 private:
  RunSweeper(pid_t child, UniqueFd run) : child_(child), run_(std::move(run)) {}
  pid_t child_;
  UniqueFd run_;  // the kernel closes it when this process dies
};

}  // namespace drover
