// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"

namespace drover::bench {

// Mounts in a mount namespace of this program. An agent that starts later shares it. Needs root.
// Make this before the first thread.
class FurtherMounts {
 public:
  explicit FurtherMounts(const Scratch& scratch);
  FurtherMounts(const FurtherMounts&) = delete;
  FurtherMounts& operator=(const FurtherMounts&) = delete;
  ~FurtherMounts();

  // Makes or removes mounts until there are COUNT. Aborts when the kernel refuses.
  void Set(int count);

 private:
  const std::string directory_;
  int count_ = 0;
};

}  // namespace drover::bench
