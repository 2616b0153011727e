// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/printable.h"

#include <cstddef>
#include <cstdio>

#include "host/base/unseen_text.h"
#include "host/base/utf8.h"

namespace drover {
namespace {

// Returns the length in bytes of the character at the start of TEXT, which must not be empty.
// Returns 0 if the character controls terminals, changes how the text around it is read, or is not
// UTF-8.
std::size_t ShownLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first == '\t' || (first >= 0x20 && first != 0x7f) ? 1 : 0;
  return UnseenLength(text) > 0 ? 0 : FirstCharacter(text).length;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = ShownLength(text);
    if (length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[0]));
    out += escaped;
    text.remove_prefix(1);
  }
  return out;
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    out += Printable(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return out + Printable(text);
}

}  // namespace drover
