// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/base/result.h"

namespace drover {

// The soft limit of open files of this process, before and after RaiseOpenFileLimit.
struct OpenFileLimit {
  std::uint64_t before = 0;
  std::uint64_t now = 0;
};

// Raises the soft limit to the hard limit, since an agent has file descriptors for each task and
// client. Tasks should start with the limit BEFORE. This limit is usually 1024, which protects
// programs that use select().
Result<OpenFileLimit> RaiseOpenFileLimit();

}  // namespace drover
