// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"
#include "host/base/unique_fd.h"

namespace drover::bench {

// The directories of an allocation with one task, with their owners and the tmpfs of its secrets,
// by as few system calls as there can be and without a check: what an allocation has costs at least
// that. Without root there is neither owner nor tmpfs, as in operation.
class FloorDirs {
 public:
  explicit FloorDirs(const Scratch& scratch);

  void Make(const std::string& id) const;
  void Remove(const std::string& id) const;

 private:
  std::string base_;
};

}  // namespace drover::bench
