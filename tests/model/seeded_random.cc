// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/model/seeded_random.h"

#include <sys/random.h>

#include <random>

namespace drover {
namespace {

std::mt19937_64& Bytes() {
  static std::mt19937_64 bytes;
  return bytes;
}

}  // namespace

std::uint64_t SeedTheKernel(std::uint64_t seed) {
  Bytes().seed(seed);
  return seed;
}

}  // namespace drover

// Takes the place of the function of the C library.
extern "C" ssize_t getrandom(void* out, std::size_t count, unsigned /*flags*/) {
  auto* const at = static_cast<unsigned char*>(out);
  for (std::size_t i = 0; i < count; ++i) at[i] = static_cast<unsigned char>(drover::Bytes()());
  return static_cast<ssize_t>(count);
}
