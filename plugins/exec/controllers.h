// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Which of the cgroup controllers memory, cpu and pids this machine does not have mounted, in
// either version: "memory, pids". For the fingerprint. May block.
std::string MissingControllers();

}  // namespace exec_driver
