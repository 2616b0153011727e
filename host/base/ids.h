// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// Names one run of a task: 128 random bits, chosen by the host before the driver is called. It
// names the shim, the cgroup and everything else that the driver makes for the run.
struct RunId {
  std::array<std::uint8_t, 16> bytes{};

  static RunId Random();
  static Result<RunId> Parse(std::string_view hex);  // 32 hex digits

  std::string ToString() const;  // 32 hex digits
  // The first 16 digits: the name of the run's files in the run directory.
  std::string Short() const { return ToString().substr(0, 16); }

  auto operator<=>(const RunId&) const = default;
};

// A random version 4 UUID, as Nomad names allocations and evaluations.
std::string RandomUuid();

// COUNT random bytes from the kernel; aborts if it has none.
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
