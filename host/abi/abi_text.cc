// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_text.h"

#include <algorithm>

#include "host/base/utf8.h"

namespace drover {
namespace {

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// Controls of C0 and C1, line separators, and characters that reorder the text around them.
bool IsDeceptive(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

bool IsUtf8(std::string_view text) { return ValidLength(text) == text.size(); }

bool IsPlainText(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character first = FirstCharacter(text);
    if (first.length == 0 || IsDeceptive(first.value)) return false;
    text.remove_prefix(first.length);
  }
  return true;
}

std::string SafeText(std::string_view text, std::size_t limit) {
  std::string safe;
  safe.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    const std::size_t size = FirstCharacter(text).length;
    std::string_view piece = text.substr(0, size);
    if (size == 0) piece = "\xef\xbf\xbd";
    if (size == 1 && IsControl(text[0]) && text[0] != '\t' && text[0] != '\n') piece = "?";
    if (safe.size() + piece.size() > limit) break;
    safe += piece;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return safe;
}

std::string OneLine(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character first = FirstCharacter(text);
    if (first.length == 0) {
      line += "\xef\xbf\xbd";
    } else if (first.value == '\n' || first.value == '\t') {
      line += ' ';
    } else if (IsDeceptive(first.value)) {
      line += '?';
    } else {
      line += text.substr(0, first.length);
    }
    text.remove_prefix(std::max<std::size_t>(first.length, 1));
  }
  return line;
}

}  // namespace drover
