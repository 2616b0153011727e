// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace drover {

// In the program of this test, all random bytes of the kernel follow from the last seed given here:
// ids, and the pauses of nodes. So a sequence repeats exactly. Returns SEED.
std::uint64_t SeedTheKernel(std::uint64_t seed);

}  // namespace drover
