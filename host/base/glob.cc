// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/glob.h"

#include <algorithm>

namespace drover {

bool IsGlob(std::string_view pattern) { return pattern.find('*') != std::string_view::npos; }

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, in_text = 0;
  // The last star that was passed, and where the text after it began in the last try.
  std::size_t star = std::string_view::npos, tried = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      tried = in_text;
    } else if (at < pattern.size() && pattern[at] == text[in_text]) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

std::size_t LiteralCount(std::string_view pattern) {
  return pattern.size() - static_cast<std::size_t>(std::ranges::count(pattern, '*'));
}

}  // namespace drover
