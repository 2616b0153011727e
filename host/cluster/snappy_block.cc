// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/snappy_block.h"

#include <cstdint>

namespace drover {
namespace {

// Takes COUNT bytes from REST as a number, the lowest byte first. Returns nothing if REST is
// shorter.
std::optional<std::size_t> TakeLittleEndian(std::size_t count, std::string_view* rest) {
  if (rest->size() < count) return std::nullopt;
  std::size_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::size_t{static_cast<std::uint8_t>((*rest)[i])} << (8 * i);
  }
  rest->remove_prefix(count);
  return value;
}

// Takes the size of the text: seven bits of each byte, the lowest first, until one without the
// highest bit.
std::optional<std::size_t> TakeTextSize(std::string_view* rest) {
  std::size_t value = 0;
  for (int shift = 0; shift <= 28; shift += 7) {
    const auto byte = TakeLittleEndian(1, rest);
    if (!byte) return std::nullopt;
    value |= (*byte & 0x7f) << shift;
    if (*byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ReadSnappyBlock(std::string_view block, std::size_t most) {
  std::string_view rest = block;
  const auto size = TakeTextSize(&rest);
  if (!size || *size > most) return std::nullopt;
  std::string text;
  text.reserve(*size);
  while (!rest.empty()) {
    const std::size_t tag = *TakeLittleEndian(1, &rest);
    std::size_t length = (tag >> 2) + 1;
    if ((tag & 3) == 0) {  // the bytes themselves
      if (length > 60) {
        const auto longer = TakeLittleEndian(length - 60, &rest);
        if (!longer) return std::nullopt;
        length = *longer + 1;
      }
      if (length > rest.size() || length > *size - text.size()) return std::nullopt;
      text += rest.substr(0, length);
      rest.remove_prefix(length);
      continue;
    }
    // Bytes of the text once more, from OFFSET before its end. They may overlap the new ones.
    const auto low = TakeLittleEndian((tag & 3) == 3 ? 4 : tag & 3, &rest);
    if (!low) return std::nullopt;
    std::size_t offset = *low;
    if ((tag & 3) == 1) {
      length = (tag >> 2 & 7) + 4;
      offset |= (tag >> 5) << 8;
    }
    if (offset == 0 || offset > text.size() || length > *size - text.size()) return std::nullopt;
    for (std::size_t i = 0; i < length; ++i) text += text[text.size() - offset];
  }
  if (text.size() != *size) return std::nullopt;
  return text;
}

}  // namespace drover
