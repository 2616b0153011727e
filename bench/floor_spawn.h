// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "bench/floor_dirs.h"
#include "bench/scratch.h"
#include "host/base/unique_fd.h"
#include "host/process/cgroup_tracker.h"

namespace drover::bench {

// The least that a supervisor and a cgroup of a task cost. Both are made and removed. HOLDER
// (floor_holder.c) executes the program and leaves a record, which is read and removed. All other
// work of the process service comes on top.
class FloorSpawn {
 public:
  FloorSpawn(const Scratch& scratch, std::string holder);

  // The directories of the tasks of Run; borrowed. Null: they have none.
  void UseDirectories(const FloorDirs* directories) { directories_ = directories; }

  // Returns seconds.
  double Run(int tasks, int in_flight);

 private:
  struct Running {
    pid_t pid = 0;
    RunId run;
  };
  Running Start();
  void Finish(const Running& running);

  std::string holder_;
  UniqueFd records_;
  const FloorDirs* directories_ = nullptr;
  std::unique_ptr<CgroupTracker> tracker_;  // null: no cgroups here
};

}  // namespace drover::bench
