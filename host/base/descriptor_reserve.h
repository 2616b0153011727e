// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"

namespace drover {

// Of the descriptors that this process may have, the last are kept for what must go on when it has
// too many: no task is started with less than all of these left, no client is served with less than
// those for stops, and what runs can be stopped and cleared away with all of them.
constexpr int kDescriptorsForStops = 16;
constexpr int kDescriptorsForClients = 32;

// Whether at least COUNT further descriptors can be opened. Costs COUNT system calls while there
// are many left, and at most one for each that may be open. [any thread]
bool DescriptorsLeft(int count);
// The error of what would not have left them: names the limit, and may be tried again.
Error FewDescriptorsLeft();

}  // namespace drover
