// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"

namespace drover {

// The last descriptors that this process may open are reserved for work that must continue when
// there are too many. A task is started only while all of these are left. A client is served only
// while those for stops are left. Running tasks can be stopped and released with all of them.
constexpr int kDescriptorsForStops = 16;
constexpr int kDescriptorsForClients = 32;

// How many descriptor numbers are searched for free ones.
constexpr int kDescriptorsLookedAt = 4096;

// Whether at least COUNT further descriptors can be opened. Costs COUNT system calls while many are
// left, and never more than kDescriptorsLookedAt. Only that many of the highest numbers are
// searched, so free numbers below do not count. [any thread]
bool DescriptorsLeft(int count);
// The error for an action that would use the reserve. Names the limit; may be tried again.
Error FewDescriptorsLeft();

}  // namespace drover
