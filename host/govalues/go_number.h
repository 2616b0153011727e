// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers as Go's strconv reads and writes them.
namespace drover::templates {

// Reads an integer of BASE. With base 0 a prefix (0x, 0o, 0b, 0) gives the base, and underscores
// may stand between digits.
std::optional<std::uint64_t> ParseUint(std::string_view text, int base);
std::optional<std::int64_t> ParseInt(std::string_view text, int base);
std::optional<double> ParseFloat(std::string_view text);

// Writes VALUE in the form FORM (e, E, f, g, G) with PRECISION, or with as many digits as VALUE
// needs if it is -1. At most 1000 digits.
std::string FormatFloat(double value, char form, int precision);
// Writes VALUE in hexadecimal (x, X) or with the exponent of 2 (b).
std::string FormatBinaryFloat(double value, char form, int precision);

}  // namespace drover::templates
