// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_text.h"

#include <cstdint>

namespace drover {
namespace {

// Returns the number of bytes of the first character of TEXT, or 0 if TEXT does not begin with
// valid UTF-8.
std::size_t CharacterSize(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t size = 0;
  std::uint32_t value = 0;
  std::uint32_t least = 0;
  if ((first & 0xe0) == 0xc0) {
    size = 2, value = first & 0x1f, least = 0x80;
  } else if ((first & 0xf0) == 0xe0) {
    size = 3, value = first & 0x0f, least = 0x800;
  } else if ((first & 0xf8) == 0xf0) {
    size = 4, value = first & 0x07, least = 0x10000;
  } else {
    return 0;
  }
  if (text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value >= least && value <= 0x10ffff && !surrogate ? size : 0;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool IsPlainText(std::string_view text) {
  for (const char c : text) {
    if (IsControl(c)) return false;
  }
  return IsUtf8(text);
}

std::string SafeText(std::string_view text, std::size_t limit) {
  std::string safe;
  safe.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    std::string_view piece = text.substr(0, size);
    if (size == 0) piece = "\xef\xbf\xbd";
    if (size == 1 && IsControl(text[0]) && text[0] != '\t' && text[0] != '\n') piece = "?";
    if (safe.size() + piece.size() > limit) break;
    safe += piece;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return safe;
}

}  // namespace drover
