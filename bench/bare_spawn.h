// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover::bench {

// Runs PROGRAM TASKS times by posix_spawn and waitid, IN_FLIGHT at once, and returns the seconds.
// Nothing that starts processes can be faster.
double RunBareSpawn(const std::string& program, int tasks, int in_flight);

}  // namespace drover::bench
