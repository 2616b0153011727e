// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover::bench {

// Seconds until PROGRAM is executed in new namespaces of mounts, processes, IPC and host name, by
// one clone and nothing else: the floor of whatever isolates so. Waits for its end, not counted.
double StartBareClone(const std::string& program);

// The same with a child that runs ENTER(ARGUMENT), on a small stack and in this program's memory,
// until it executes its program.
double StartInNamespaces(void (*enter)(void*), void* argument);

}  // namespace drover::bench
