// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/checksum.h"

#include <zlib.h>

namespace drover {
namespace {

uLong Add(uLong sum, const std::string& text) {
  // The checksum includes the length, so that two different records never give the same sequence
  // of bytes.
  const std::uint64_t size = text.size();
  sum = crc32_z(sum, reinterpret_cast<const Bytef*>(&size), sizeof size);
  return crc32_z(sum, reinterpret_cast<const Bytef*>(text.data()), text.size());
}

}  // namespace

std::uint32_t ChecksumOf(const Record& record) {
  uLong sum = crc32_z(0, nullptr, 0);
  sum = Add(sum, record.key.kind);
  sum = Add(sum, record.key.id);
  return static_cast<std::uint32_t>(Add(sum, record.value));
}

}  // namespace drover
