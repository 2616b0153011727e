// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace drover::bench {

// The least that a call in another process can cost: a small message there and an answer, by a
// socket as containers have it, without any encoding. Microseconds, the median of each round.
// Before the first thread.
std::vector<double> MeasureFrameFloor(int calls, int rounds);

}  // namespace drover::bench
