// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// The longest text that an interpolation may make. The kernel takes arguments and variables of 128
// KiB. Without a limit, a short text full of references to a long one would fill the memory.
inline constexpr std::size_t kMaxInterpolated = 1u << 20;

// Returns the value of a name, or null.
using VariableLookup = std::function<const std::string*(std::string_view name)>;

// Replaces each ${NAME} that LOOKUP knows, once: inserted text is not searched again. Unknown
// references stay, and so does the whole text if the result would be too long.
std::string InterpolateText(std::string_view text, const VariableLookup& lookup);

// The same for the configuration of drivers. Here an unknown name, a "${" without end and a result
// that is too long are errors. "$${" stands for "${".
Result<std::string> InterpolateTextStrict(std::string_view text, const VariableLookup& lookup);

}  // namespace drover
