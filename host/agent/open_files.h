// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/base/result.h"

namespace drover {

// The soft limit of open files of this process, as it was and as it is now.
struct OpenFileLimit {
  std::uint64_t before = 0;
  std::uint64_t now = 0;
};

// Raises it to the hard limit: an agent has descriptors for each task and each client, and the
// usual 1024 are there for programs that use select(). What it starts should get BEFORE.
Result<OpenFileLimit> RaiseOpenFileLimit();

}  // namespace drover
