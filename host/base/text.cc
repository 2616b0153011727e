// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/text.h"

namespace drover {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string HexText(std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

std::optional<bool> ParseBool(std::string_view text) {
  const auto is = [text](auto... words) { return ((text == words) || ...); };
  if (is("1", "t", "T", "true", "True", "TRUE")) return true;
  if (is("0", "f", "F", "false", "False", "FALSE")) return false;
  return std::nullopt;
}

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string WithoutHyphens(std::string_view id) {
  std::string digits(id);
  std::erase(digits, '-');
  return digits;
}

}  // namespace drover
