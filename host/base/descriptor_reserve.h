// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"

namespace drover {

// Of the descriptors that this process may have, the last are kept for what must go on when it has
// too many: no task is started with less than all of these left, no client is served with less than
// those for stops, and what runs can be stopped and cleared away with all of them.
constexpr int kDescriptorsForStops = 16;
constexpr int kDescriptorsForClients = 32;

// Whether KEPT further descriptors are left after FD, which was just opened. The kernel gives the
// lowest number that is free, so that one number tells. [any thread]
bool LeavesDescriptors(int fd, int kept);
// The error of what would not have left them: names the limit, and may be tried again.
Error FewDescriptorsLeft();

}  // namespace drover
