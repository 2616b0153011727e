// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// A child of a foreground run that outlives it when it is killed: it waits until the shims have
// stopped their tasks in order, and then clears away what the run's ledger names, the directories
// above all. It is in a session of its own, so that what ends the run's process group leaves it,
// and in the run's mount namespace, where the secrets are mounted.
class RunSweeper {
 public:
  // To be called before this process has threads; its standard descriptors are open. PATIENCE: how
  // long a task may take to stop.
  static Result<RunSweeper> Start(const std::string& run_dir, Duration patience);
  // The run has ended by itself and cleared up; so does the sweeper.
  ~RunSweeper();
  RunSweeper(RunSweeper&&) = default;

 private:
  RunSweeper(pid_t child, UniqueFd run) : child_(child), run_(std::move(run)) {}
  pid_t child_;
  UniqueFd run_;  // closes when this process dies, however it does
};

}  // namespace drover
