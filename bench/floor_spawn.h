// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "bench/floor_dirs.h"
#include "bench/scratch.h"
#include "host/base/unique_fd.h"
#include "host/process/cgroup_tracker.h"

namespace drover::bench {

// The floor of whatever gives a task a supervisor and a cgroup: both are made and removed, HOLDER
// (floor_holder.c) is executed and executes the program, and leaves a record that is read and
// removed. Everything else that the process service does comes on top.
class FloorSpawn {
 public:
  FloorSpawn(const Scratch& scratch, std::string holder);

  // Of the tasks of Run; borrowed. Null: they have none.
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
