// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

#include "host/process/capability_set.h"

namespace drover {

// Returns the filter of system calls for isolated tasks, as BPF for the kernel. It refuses with
// EPERM the calls that change the machine or get around the isolation (mounts, namespaces, modules,
// the clock, keys, io_uring, ...), unless a capability of the task allows them anyway. System calls
// newer than this list fail with ENOSYS, as do calls of a foreign processor mode. So does clone3:
// programs fall back to clone, whose flags a filter can read.
std::vector<sock_filter> DefaultSeccompFilter(CapabilitySet capabilities);

}  // namespace drover
