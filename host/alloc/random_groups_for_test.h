// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <functional>

#include "host/base/seed_for_test.h"

namespace drover {

// Sanitizers look for other faults than a wrong order, and a part of the groups is enough for that.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kPartOfGroups = 5;
#else
constexpr int kPartOfGroups = 1;
#endif

// Calls RUN with one seed after another. Stops when COUNT random groups of this SHARD have been
// compared with their model (with sanitizers, a fifth of them), or when a test has failed. Tries at
// most twice as many seeds. RUN returns whether the model predicts its group.
inline void ForRandomGroups(int shard, int count, const std::function<bool(std::uint64_t)>& run) {
  count /= kPartOfGroups;
  const int most = 2 * count;
  const std::uint64_t first =
      FirstSeed() + static_cast<std::uint64_t>(shard) * static_cast<std::uint64_t>(most);
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  int compared = 0;
  for (int i = 0; i < most && compared < count && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(HowToRepeat(seed));
    if (run(seed)) ++compared;
  }
  if (!testing::Test::HasFailure()) EXPECT_EQ(compared, count);
}

}  // namespace drover
