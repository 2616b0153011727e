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

std::string Cut(const std::string& text, std::size_t width) {
  if (Characters(text) <= width) return text;
  std::size_t bytes = 0;
  for (std::size_t left = width; bytes < text.size(); ++bytes) {
    if (IsFirstByte(text[bytes]) && left-- == 1) break;
  }
  return text.substr(0, bytes) + "…";
}

}  // namespace drover
