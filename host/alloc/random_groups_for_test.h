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

// Sanitizers look for other things than the order, and a part of the groups shows them.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kPartOfGroups = 5;
#else
constexpr int kPartOfGroups = 1;
#endif

// Calls RUN with one seed after the other, until it has compared COUNT random groups of this SHARD
// with its model (with sanitizers a fifth of them) or a test has failed. RUN tells whether the
// model says anything of its group.
inline void ForRandomGroups(int shard, int count, const std::function<bool(std::uint64_t)>& run) {
  count /= kPartOfGroups;
  const int most = 2 * count;
  const std::uint64_t first =
      FirstSeed() + static_cast<std::uint64_t>(shard) * static_cast<std::uint64_t>(most);
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  int compared = 0;
  for (int i = 0; i < most && compared < count && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    SCOPED_TRACE("repeat with DROVER_SEED=" + std::to_string(seed));
    if (run(seed)) ++compared;
  }
  if (!testing::Test::HasFailure()) EXPECT_EQ(compared, count);
}

}  // namespace drover
