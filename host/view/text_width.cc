// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/text_width.h"

#include <algorithm>

namespace drover {
namespace {

bool IsFirstByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Returns the length in bytes of the character of TEXT that begins at AT.
std::size_t LengthAt(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && !IsFirstByte(text[end])) ++end;
  return end - at;
}

// Returns the columns of one character. Whatever terminals could show with two has two, since a
// line that is too long would not stay in its row.
std::size_t ColumnsOf(std::string_view character) {
  if (character.size() < 3) return 1;
  const auto bits = [&](std::size_t at) {
    return static_cast<unsigned char>(character[at]) & 0x3fu;
  };
  if (character.size() > 3) return 2;  // emoji, and rare characters of Chinese
  const unsigned code =
      (static_cast<unsigned char>(character[0]) & 0x0fu) << 12 | bits(1) << 6 | bits(2);
  // Most scripts with letters, punctuation, arrows, and lines of tables.
  const bool narrow = (code >= 0x0800 && code < 0x1100) || (code >= 0x1200 && code < 0x2300) ||
                      (code >= 0x2400 && code < 0x25a0) || (code >= 0xfb00 && code < 0xfe10);
  return narrow ? 1 : 2;
}

}  // namespace

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), IsFirstByte));
}

std::string FirstCharacters(const std::string& text, std::size_t count) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    if (IsFirstByte(text[bytes]) && count-- == 0) break;
  }
  return text.substr(0, bytes);
}

std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); at += LengthAt(text, at)) {
    columns += ColumnsOf(text.substr(at, LengthAt(text, at)));
  }
  return columns;
}

std::string FirstColumns(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = LengthAt(text, at);
    const std::size_t columns = ColumnsOf(std::string_view(text).substr(at, length));
    if (columns > count) break;
    count -= columns;
    at += length;
  }
  return text.substr(0, at);
}

std::string Cut(const std::string& text, std::size_t width) {
  if (Characters(text) <= width) return text;
  return FirstCharacters(text, width - 1) + "…";
}

}  // namespace drover
