// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/ids.h"

#include <sys/random.h>

#include <cerrno>

namespace drover {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Accepts only lower case, so that an id has only one spelling.
int LowerHexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void RandomBytes(void* out, std::size_t count) {
  auto* at = static_cast<unsigned char*>(out);
  while (count > 0) {
    const ssize_t n = getrandom(at, count, 0);
    if (n < 0 && errno == EINTR) continue;
    DROVER_CHECK(n > 0);
    at += n;
    count -= static_cast<std::size_t>(n);
  }
}

RunId RunId::Random() {
  RunId id;
  RandomBytes(id.bytes.data(), id.bytes.size());
  return id;
}

Result<RunId> RunId::Parse(std::string_view hex) {
  const Error bad(Code::kInvalidArgument,
                  "\"" + std::string(hex) + "\" is not a run id: 32 lower-case hex digits");
  RunId id;
  if (hex.size() != 2 * id.bytes.size()) return bad;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = LowerHexDigit(hex[2 * i]);
    const int low = LowerHexDigit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return bad;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

std::string RunId::ToString() const {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

std::string RandomUuid() {
  RunId id = RunId::Random();
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0f) | 0x40);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
  std::string text = id.ToString();
  for (const std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

}  // namespace drover
