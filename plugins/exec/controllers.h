// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Returns the limits that tasks cannot have on this machine, since cgroup controllers are missing,
// and a remedy. An example is "memory, pids: mount ...". The text is empty if memory, cpu, pids and
// cpuset can all be used. May block.
std::string MissingLimits();

}  // namespace exec_driver
