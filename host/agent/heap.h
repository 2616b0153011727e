// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Gives back to the system what the program has freed, which the allocator keeps for later: after
// thousands of allocations are forgotten nobody needs it soon. Takes some milliseconds. [any
// thread]
void GiveFreeMemoryBack();

}  // namespace drover
