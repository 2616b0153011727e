// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/shell_word.h"

#include <algorithm>
#include <cctype>

namespace drover {

std::string ShellWord(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string ShortShellWord(std::string_view text) {
  constexpr std::string_view kMarks = "+,-./:@_";
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMarks.find(c) != kMarks.npos;
  });
  return plain ? std::string(text) : ShellWord(text);
}

}  // namespace drover
