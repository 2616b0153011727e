// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

namespace drover {

// DROVER_SEED repeats a run.
inline std::uint64_t FirstSeed() {
  const char* given = std::getenv("DROVER_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
  static const std::uint64_t seed = std::random_device{}();
  return seed;
}

// Calls RUN with the seed of each of the COUNT random groups of a shard, until one fails.
inline void ForRandomGroups(int shard, int count, const std::function<void(std::uint64_t)>& run) {
  const std::uint64_t first =
      FirstSeed() + static_cast<std::uint64_t>(shard) * static_cast<std::uint64_t>(count);
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    SCOPED_TRACE("repeat with DROVER_SEED=" + std::to_string(seed));
    run(seed);
  }
}

}  // namespace drover
