// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Gives back to the system what the program has freed, which the allocator keeps for later: after
// thousands of allocations are forgotten nobody needs it soon. [any thread]
//
// Whoever allocates from the same part of the heap meanwhile waits: some 6 ms for 10,000 free
// pieces of a page and more, twice as long the first time. The allocator knows no smaller step, so
// it is done rarely: after many have gone, and after what was large by itself.
void GiveFreeMemoryBack();

}  // namespace drover
