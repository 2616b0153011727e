// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// The maximum size in bytes of a text after interpolation. The kernel accepts arguments and
// variables of up to 128 KiB each. Without a limit, a short text with many references to a long
// value would fill the memory.
inline constexpr std::size_t kMaxInterpolated = 1u << 20;

// Returns the value for NAME, or null if NAME is unknown.
using VariableLookup = std::function<const std::string*(std::string_view name)>;

// Replaces each ${NAME} for which LOOKUP returns a value. References in an inserted value are not
// replaced. Unknown references stay. If the result would be too long, the whole text stays as it
// is.
std::string InterpolateText(std::string_view text, const VariableLookup& lookup);

// Interpolates the configuration of a driver. In contrast to InterpolateText, it returns an error
// for an unknown name, for a "${" without "}", and for a result that is too long. "$${" becomes
// "${".
Result<std::string> InterpolateTextStrict(std::string_view text, const VariableLookup& lookup);

}  // namespace drover
