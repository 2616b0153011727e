// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace drover {

// Identifies one boot of the machine. All zeros: unknown.
using BootId = std::array<std::uint8_t, 16>;

BootId ThisBoot();

// True if REPORTED, 16 bytes from a shim, is another boot than OURS. False if either is unknown.
bool IsOfAnotherBoot(const std::uint8_t* reported, const BootId& ours);

}  // namespace drover
