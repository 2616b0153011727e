// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace drover {

// The part of a run's output that did not reach its files, because the disk took it too slowly or
// not at all. The counts cover both streams since the start of the run.
struct DroppedOutput {
  bool ongoing = false;  // output is being dropped now; the counts will include it later
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;

  bool operator==(const DroppedOutput&) const = default;
};

}  // namespace drover
