// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Returns to the system the freed memory that the allocator keeps for later. After the removal of
// thousands of allocations nobody needs it soon. Takes some milliseconds. [any thread]
void GiveFreeMemoryBack();

}  // namespace drover
