// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"

namespace drover {

// The directory of one run of the kit, with everything that its cases leave in it. A process of its
// own removes it when this object, or the whole kit, is gone: also after kill -9. The destructor
// waits for that.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
  UniqueFd alive_;  // its end is what the remover waits for
  int remover_ = -1;
};

// The first argument of the remover, the second is the directory.
inline constexpr char kScratchArgument[] = "__remove-scratch";
// Waits for the end of standard input, then removes DIRECTORY, for some seconds if it must: the
// tasks of a kit that was killed still write for a moment.
int RunScratchRemover(const std::string& directory);

}  // namespace drover
