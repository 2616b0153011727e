// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace drover {

// What of a run's output did not reach its files, because their disk took it too slowly or not at
// all. The counts are of both streams since the start of the run.
struct DroppedOutput {
  bool ongoing = false;  // more is being dropped now; it is counted when that is over
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;

  bool operator==(const DroppedOutput&) const = default;
};

}  // namespace drover
