// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/base/result.h"

namespace drover {

// Lets this process and its children leave no core file, since the memory of an agent has secrets
// of requests. Returns the soft limit in bytes from before, with which tasks should start.
Result<std::uint64_t> ForbidCoreFiles();

}  // namespace drover
