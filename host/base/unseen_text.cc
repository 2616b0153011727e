// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/unseen_text.h"

#include <algorithm>
#include <array>

#include "host/base/utf8.h"

namespace drover {
namespace {

struct Range {
  char32_t first, last;
};

// The characters of the categories Cc (without ASCII), Zl, Zp and Cf of Unicode 15: control
// characters, line separators, paragraph separators and format characters. The whole blocks of tags
// and of direction characters are also included.
constexpr std::array<Range, 21> kUnseen = {
    {{0x80, 0x9f},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
     {0x180e, 0x180e},   {0x200b, 0x200b},   {0x200e, 0x200f},   {0x2028, 0x202e},
     {0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},
     {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
     {0xe0000, 0xe007f}}};

}  // namespace

std::size_t UnseenLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto [length, character] = FirstCharacter(text);
  const bool unseen =
      std::any_of(kUnseen.begin(), kUnseen.end(), [value = character](const Range& range) {
        return range.first <= value && value <= range.last;
      });
  return unseen ? length : 0;
}

bool HasUnseen(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (UnseenLength(text) > 0) return true;
  }
  return false;
}

}  // namespace drover
