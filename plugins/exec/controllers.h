// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// In what tasks are not limited here, for want of cgroup controllers, and what to do about it:
// "memory, pids: mount ...". Empty: memory, cpu and pids are all there. May block.
std::string MissingLimits();

}  // namespace exec_driver
