// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// The id of one run of a task. It has 128 random bits, which the host chooses before it calls the
// driver. The shim, the cgroup and everything else that the driver makes for the run get their
// names from this id.
struct RunId {
  std::array<std::uint8_t, 16> bytes{};

  static RunId Random();
  static Result<RunId> Parse(std::string_view hex);  // 32 hex digits

  std::string ToString() const;  // 32 hex digits
  // Returns the first 16 digits, which name the run's files in the run directory.
  std::string Short() const { return ToString().substr(0, 16); }

  auto operator<=>(const RunId&) const = default;
};

// Returns a random version 4 UUID, the form in which Nomad names allocations and evaluations.
std::string RandomUuid();

// Writes COUNT random bytes from the kernel to OUT. Aborts if the kernel returns none.
void RandomBytes(void* out, std::size_t count);

}  // namespace drover

template <>
struct std::hash<drover::RunId> {
  std::size_t operator()(const drover::RunId& id) const noexcept {
    std::size_t h = 0;
    for (int i = 0; i < 8; ++i) h = h << 8 | id.bytes[i];
    return h;
  }
};
