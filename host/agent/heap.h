// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Returns freed memory to the system. The allocator keeps such memory for later, but after the
// removal of thousands of allocations nobody needs it soon. [any thread]
//
// During the call, any thread that allocates from the same part of the heap waits. The wait is
// some 6 ms for 10,000 free pieces of at least a page, and twice as long in the first call. The
// allocator cannot return the memory in smaller steps. So call this function rarely: after many
// allocations have been removed, and after a single large use of memory.
void GiveFreeMemoryBack();

}  // namespace drover
