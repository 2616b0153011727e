// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace drover {

// The first seed of a random test. DROVER_SEED repeats a run; without it, each run has its own.
inline std::uint64_t FirstSeed() {
  const char* given = std::getenv("DROVER_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
  static const std::uint64_t seed = std::random_device{}();
  return seed;
}

// For SCOPED_TRACE: how to repeat a failure with SEED.
inline std::string HowToRepeat(std::uint64_t seed) {
  return "repeat with DROVER_SEED=" + std::to_string(seed);
}

}  // namespace drover
