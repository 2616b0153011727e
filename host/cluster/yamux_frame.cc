// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/yamux_frame.h"

namespace drover {
namespace {

constexpr std::uint8_t kYamuxVersion = 0;

void AppendBigEndian(std::uint32_t number, int bytes, std::string* out) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(number >> shift & 0xff));
  }
}

std::uint32_t ReadBigEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace

void AppendYamuxHead(const YamuxHead& head, std::string* out) {
  AppendBigEndian(kYamuxVersion, 1, out);
  AppendBigEndian(static_cast<std::uint8_t>(head.type), 1, out);
  AppendBigEndian(head.flags, 2, out);
  AppendBigEndian(head.stream, 4, out);
  AppendBigEndian(head.length, 4, out);
}

std::optional<YamuxHead> ReadYamuxHead(std::string_view bytes) {
  if (bytes.size() != YamuxHead::kSize) return std::nullopt;
  const std::uint32_t type = ReadBigEndian(bytes.substr(1, 1));
  if (ReadBigEndian(bytes.substr(0, 1)) != kYamuxVersion) return std::nullopt;
  if (type > static_cast<std::uint32_t>(YamuxType::kGoAway)) return std::nullopt;
  YamuxHead head;
  head.type = static_cast<YamuxType>(type);
  head.flags = static_cast<std::uint16_t>(ReadBigEndian(bytes.substr(2, 2)));
  head.stream = ReadBigEndian(bytes.substr(4, 4));
  head.length = ReadBigEndian(bytes.substr(8, 4));
  return head;
}

}  // namespace drover
