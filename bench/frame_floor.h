// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace drover::bench {

// The least that a call in another process costs: a small message and its answer, by a socket like
// that of containers, without any encoding. Returns microseconds, the median of each round. Call it
// before the first thread exists.
std::vector<double> MeasureFrameFloor(int calls, int rounds);

}  // namespace drover::bench
