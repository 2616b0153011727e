// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"

namespace drover {

// The last file descriptors that this process may open are reserved for work that must continue
// when descriptors run out. A task is started only while kDescriptorsForStops plus
// kDescriptorsForClients descriptors are left. A client is served only while kDescriptorsForStops
// descriptors are left. The stop and the release of a running task may use all of them.
constexpr int kDescriptorsForStops = 16;
constexpr int kDescriptorsForClients = 32;

// DescriptorsLeft checks at most this many descriptor numbers.
constexpr int kDescriptorsLookedAt = 4096;

// Returns true if at least COUNT more descriptors can be opened. Checks the descriptor numbers
// downward from the highest, with one system call for each, until COUNT free numbers are found. If
// many numbers are free, this takes only COUNT system calls. Checks at most kDescriptorsLookedAt
// numbers, so lower free numbers do not count as free. [any thread]
bool DescriptorsLeft(int count);
// Returns the error for an action that is refused because it would use the reserve. The error names
// the limit and is recoverable.
Error FewDescriptorsLeft();

}  // namespace drover
