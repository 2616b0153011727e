// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"

namespace drover {

// The directory of one run of the kit, which contains all files of its cases. A separate process,
// the remover, removes the directory when this object is destroyed or when the kit has ended. It
// does so even if SIGKILL ended the kit. The destructor waits for the removal.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  const std::string& path() const { return path_; }  // empty if the directory could not be made

 private:
  std::string path_;
  UniqueFd alive_;  // the remover removes the directory when this end of the pipe is closed
  int remover_ = -1;
};

// This first argument marks the remover process. Its second argument is the directory.
inline constexpr char kScratchArgument[] = "__remove-scratch";
// Waits for the end of standard input and then removes DIRECTORY. Repeats the removal for up to
// 10 s, because the tasks of a killed kit may still write files for a moment.
int RunScratchRemover(const std::string& directory);

}  // namespace drover
