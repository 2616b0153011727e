// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover::bench {

// Seconds until PROGRAM is executed in new namespaces of mounts, processes, IPC and host name, by
// one clone and nothing else: the floor of whatever isolates so. Waits for its end, not counted.
double StartBareClone(const std::string& program);

}  // namespace drover::bench
