// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

#include "host/process/capability_set.h"

namespace drover {

// The filter of system calls that isolated tasks get: BPF for the kernel. It refuses with EPERM
// what changes the machine or reaches around the isolation (mounts, namespaces, modules, the clock,
// keys, io_uring, ...), as far as no capability of the task allows it anyway; system calls newer
// than this list are unknown (ENOSYS) to the task, and so are those of a foreign processor mode. A
// task that asks for clone3 falls back to clone, whose flags a filter can read.
std::vector<sock_filter> DefaultSeccompFilter(CapabilitySet capabilities);

}  // namespace drover
