// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"

namespace drover {

// Of the descriptors that this process may have, the last are kept for what must go on when it has
// too many: no task is started with less than all of these left, no client is served with less than
// those for stops, and what runs can be stopped and cleared away with all of them.
constexpr int kDescriptorsForStops = 16;
constexpr int kDescriptorsForClients = 32;

// How many numbers of descriptors are looked at for those that are free.
constexpr int kDescriptorsLookedAt = 4096;

// Whether at least COUNT further descriptors can be opened. Costs COUNT system calls while there
// are many left, and at most kDescriptorsLookedAt: of a process that may have more than that, those
// that are free only below that many of the highest numbers do not count. [any thread]
bool DescriptorsLeft(int count);
// The error of what would not have left them: names the limit, and may be tried again.
Error FewDescriptorsLeft();

}  // namespace drover
