// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"

namespace drover::bench {

// A root like that of a task of the driver exec, by one clone and as few system calls as there can
// be: the same mounts, nothing verified, no cgroup, limit, filter or supervisor. Who promises that
// root cannot start faster.
class FloorRoot {
 public:
  // PROGRAM is a static one in DIRECTORY, which is /bench in the root.
  FloorRoot(const Scratch& scratch, const std::string& directory, std::string program);

  // Seconds until the program is executed. Waits for its end, not counted.
  double Start() const;

 private:
  std::string root_;
  std::string own_;
  std::string directory_;
  std::string program_;
};

}  // namespace drover::bench
