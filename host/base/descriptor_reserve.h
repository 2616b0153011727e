// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"

namespace drover {

// The last file descriptors that this process may open are reserved for work that must continue
// when descriptors run out. A task is started only while kDescriptorsForStops plus
// kDescriptorsForClients are left. A client is served only while kDescriptorsForStops are left.
// The stop and the release of a running task may use all that are left.
constexpr int kDescriptorsForStops = 16;
constexpr int kDescriptorsForClients = 32;

// The maximum number of descriptor numbers that are searched for free ones.
constexpr int kDescriptorsLookedAt = 4096;

// Whether at least COUNT more descriptors can be opened. Searches at most the kDescriptorsLookedAt
// highest numbers, downward, so free numbers below these do not count. Each number costs a system
// call. While many numbers are free, that is COUNT system calls. [any thread]
bool DescriptorsLeft(int count);
// Returns the error for an action that would use the reserve. The error names the limit and is
// recoverable.
Error FewDescriptorsLeft();

}  // namespace drover
