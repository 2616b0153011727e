// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace drover {

// The number of open descriptors of this process, including the one used for counting.
inline long OpenFds() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

}  // namespace drover
