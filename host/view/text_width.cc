// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/text_width.h"

#include <algorithm>
#include <cstdint>

#include "host/base/utf8.h"

namespace drover {
namespace {

bool IsFirstByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Returns the columns of one character. Whatever terminals could show with two has two, since a
// line that is too long would not stay in its row.
std::size_t ColumnsOf(char32_t value) {
  if (value < 0x800) return 1;
  // Most scripts with letters, punctuation, arrows, and lines of tables.
  const bool narrow = value < 0x1100 || (value >= 0x1200 && value < 0x2300) ||
                      (value >= 0x2400 && value < 0x25a0) || (value >= 0xfb00 && value < 0xfe10);
  return narrow ? 1 : 2;
}

struct Part {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};

// Returns the longest beginning of TEXT, in whole characters, that takes at most MOST columns.
Part Beginning(std::string_view text, std::size_t most) {
  Part part;
  while (part.bytes < text.size()) {
    const Utf8Character next = FirstCharacter(text.substr(part.bytes));
    const std::size_t columns = ColumnsOf(next.value);
    if (columns > most - part.columns) break;
    part.columns += columns;
    part.bytes += std::max<std::size_t>(next.length, 1);
  }
  return part;
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

std::size_t Columns(std::string_view text) { return Beginning(text, SIZE_MAX).columns; }

std::string FirstColumns(const std::string& text, std::size_t count) {
  return text.substr(0, Beginning(text, count).bytes);
}

std::string Cut(const std::string& text, std::size_t width) {
  if (Characters(text) <= width) return text;
  return FirstCharacters(text, width - 1) + "…";
}

}  // namespace drover
