// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"
#include "host/base/unique_fd.h"

namespace drover::bench {

// The directories of an allocation with one task, with their owners and the tmpfs of its secrets,
// by the fewest possible system calls and without a check. No allocation can cost less. Without
// root there are neither owners nor a tmpfs, as in operation.
class FloorDirs {
 public:
  explicit FloorDirs(const Scratch& scratch);

  void Make(const std::string& id) const;
  void Remove(const std::string& id) const;

 private:
  std::string base_;
};

}  // namespace drover::bench
