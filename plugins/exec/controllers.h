// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Returns a text that names the missing cgroup controllers and a remedy, such as "memory, pids:
// mount ...". Without a controller, tasks cannot have its limits. The text is empty if memory, cpu,
// pids and cpuset can all be used. May block.
std::string MissingLimits();

}  // namespace exec_driver
