// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// The directory of an agent, which is locked for as long as the object lives.
class DataDir {
 public:
  // Makes the directory PATH, unless it exists, and locks it. An empty PATH stands for a new
  // directory below $TMPDIR. Code::kFailedPrecondition: another agent has it, or something in it is
  // in the way; other errors are mistakes in PATH.
  static Result<DataDir> Make(const std::string& path);

  std::string alloc_dir() const { return path_ + "/alloc"; }
  std::string state_dir() const { return path_ + "/state"; }
  // Removes a directory that Make chose, unless allocations are left in it.
  void RemoveIfMade() const;

 private:
  std::string path_;
  bool made_ = false;
  UniqueFd lock_;
};

// The path without links of PATH, a directory for allocations that exists. Only the agent's user,
// its group and root may write to it and to the directories above it.
Result<std::string> CheckAllocDir(const std::string& path);

}  // namespace drover
