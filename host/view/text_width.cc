// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/text_width.h"

#include <algorithm>

namespace drover {
namespace {

bool IsFirstByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

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

std::string Cut(const std::string& text, std::size_t width) {
  if (Characters(text) <= width) return text;
  return FirstCharacters(text, width - 1) + "…";
}

}  // namespace drover
