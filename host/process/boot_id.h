// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace drover {

// Identifies one boot of the machine. The value with only zeros means that the boot is unknown.
using BootId = std::array<std::uint8_t, 16>;

BootId ThisBoot();

// Returns true if REPORTED, the 16 bytes of a boot id from a shim, differs from OURS. Returns
// false if REPORTED or OURS is the unknown boot.
bool IsOfAnotherBoot(const std::uint8_t* reported, const BootId& ours);

}  // namespace drover
