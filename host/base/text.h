// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace drover {

// Returns the value of a hexadecimal digit in either case, or -1 for any other character.
int HexDigit(char c);

// Returns BYTES in lower-case hexadecimal digits, two for each byte.
std::string HexText(std::string_view bytes);

// Returns the number that the whole of TEXT represents. Returns nothing for any other text and for
// a number that T cannot hold.
template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// Returns the boolean that TEXT is a word for, by the words that Nomad accepts: 1, t, T, true, True
// and TRUE, and 0, f, F, false, False and FALSE. Returns nothing for any other text.
std::optional<bool> ParseBool(std::string_view text);

// Returns TEXT without the spaces and tabs at its ends.
std::string_view Trim(std::string_view text);

// Returns ID without hyphens. ID is a UUID or the beginning of a UUID. Requests may omit the
// hyphens of ids.
std::string WithoutHyphens(std::string_view id);

}  // namespace drover
