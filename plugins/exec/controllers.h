// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Returns the limits that tasks cannot have here, for lack of cgroup controllers, and a remedy:
// "memory, pids: mount ...". Empty: memory, cpu, pids and cpuset can all be used. May block.
std::string MissingLimits();

}  // namespace exec_driver
