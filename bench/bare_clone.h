// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover::bench {

// Executes PROGRAM in new namespaces of mounts, processes, IPC and host name, by one clone and
// nothing else, and returns the seconds until then. Nothing that isolates so can be faster. Waits
// for the program's end, which does not count.
double StartBareClone(const std::string& program);

// The same, but the child first runs ENTER(ARGUMENT), on a small stack and in this program's
// memory.
double StartInNamespaces(void (*enter)(void*), void* argument);

}  // namespace drover::bench
