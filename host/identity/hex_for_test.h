// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/text.h"

namespace drover {

// For tests: returns the bytes that the hex digits of TEXT stand for.
inline std::string BytesOfHex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(HexDigit(text[i]) << 4 | HexDigit(text[i + 1]));
  }
  return bytes;
}

}  // namespace drover
