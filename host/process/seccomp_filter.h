// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

#include "host/process/capability_set.h"

namespace drover {

// Returns the filter of system calls for isolated tasks, as BPF for the kernel. The filter refuses
// calls that change the machine or bypass the isolation (mounts, namespaces, modules, the clock,
// keys, io_uring, ...). They fail with EPERM, unless a capability of the task allows them. System
// calls that are newer than the list of this filter fail with ENOSYS, as do calls of a foreign
// processor mode. The call clone3 also fails with ENOSYS: programs then use clone, whose flags a
// filter can read.
std::vector<sock_filter> DefaultSeccompFilter(CapabilitySet capabilities);

}  // namespace drover
