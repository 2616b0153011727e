// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// The longest text that replacing ${...} may make. The kernel takes arguments and variables of
// 128 KiB; without a limit a short text full of references to a long one would fill the memory.
inline constexpr std::size_t kMaxInterpolated = 1u << 20;

// The value that a name stands for, or null.
using VariableLookup = std::function<const std::string*(std::string_view name)>;

// Replaces each ${NAME} that LOOKUP knows, once: what comes in is not searched again. What it does
// not know stays as it is, and so does the whole text when the result would be too long.
std::string InterpolateText(std::string_view text, const VariableLookup& lookup);

// The same for the configuration of drivers: an unknown name, a "${" without end and a result that
// is too long are errors; "$${" stands for "${".
Result<std::string> InterpolateTextStrict(std::string_view text, const VariableLookup& lookup);

}  // namespace drover
