// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace drover {

// The value of a hexadecimal digit in either case; -1 for anything else.
int HexDigit(char c);

// The number that the whole of TEXT is; nothing for another text, or for a number beyond T.
template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// TEXT without the spaces and tabs at its ends.
std::string_view Trim(std::string_view text);

// The hexadecimal digits of a UUID or of its beginning: requests may omit the hyphens of ids.
std::string WithoutHyphens(std::string_view id);

}  // namespace drover
