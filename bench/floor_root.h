// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"

namespace drover::bench {

// A root like that of a task of the driver exec, by one clone and the fewest possible system calls:
// the same mounts, nothing verified, no cgroup, limit, filter or supervisor. No program that makes
// that root can start faster.
class FloorRoot {
 public:
  // PROGRAM is a static program in DIRECTORY, which is /bench in the root.
  FloorRoot(const Scratch& scratch, const std::string& directory, std::string program);

  // Returns the seconds until the program is executed. Waits for its end, which does not count.
  double Start() const;

 private:
  std::string root_;
  std::string own_;
  std::string directory_;
  std::string program_;
};

}  // namespace drover::bench
