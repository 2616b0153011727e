// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace drover {

// A character of a text in UTF-8. LENGTH is its number of bytes.
struct Utf8Character {
  std::size_t length = 0;
  char32_t value = 0;
};

// Returns the first character of TEXT, which must not be empty. The length is 0 if TEXT does not
// begin with valid UTF-8: overlong forms, surrogates and values above U+10FFFF are not valid.
Utf8Character FirstCharacter(std::string_view text);

// Returns the offset of the first byte of TEXT that is not UTF-8, or the size of TEXT.
std::size_t ValidLength(std::string_view text);

}  // namespace drover
