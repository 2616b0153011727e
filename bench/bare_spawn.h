// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover::bench {

// Runs TASKS times PROGRAM by posix_spawn and waitid, IN_FLIGHT at once. Seconds. The floor of
// whatever starts processes.
double RunBareSpawn(const std::string& program, int tasks, int in_flight);

}  // namespace drover::bench
