// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace drover {

// Names one boot of the machine. All zero: it is not known.
using BootId = std::array<std::uint8_t, 16>;

BootId ThisBoot();

// Is what a shim has TOLD, 16 bytes, of another boot than OURS? Not where either is unknown.
bool IsOfAnotherBoot(const std::uint8_t* told, const BootId& ours);

}  // namespace drover
