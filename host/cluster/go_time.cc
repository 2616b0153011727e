// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/go_time.h"

#include <cstddef>
#include <cstdint>

namespace drover {
namespace {

constexpr std::size_t kGoTimeSize = 15;
// From 0001-01-01 to 1970-01-01.
constexpr std::int64_t kGoSecondsBefore1970 = 62'135'596'800;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// The last whole second that a WallTime holds.
constexpr std::int64_t kLastWallSecond = 9'223'372'035;

void AppendGoNumber(std::uint64_t value, int bytes, std::string* out) {
  for (int i = bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::uint64_t GoNumber(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}

}  // namespace

std::string WriteGoTime(WallTime time) {
  std::string out(1, '\x01');
  std::uint64_t seconds = 0, nanos = 0;
  if (time > 0) {
    seconds = static_cast<std::uint64_t>(time / kNanosPerSecond + kGoSecondsBefore1970);
    nanos = static_cast<std::uint64_t>(time % kNanosPerSecond);
  }
  AppendGoNumber(seconds, 8, &out);
  AppendGoNumber(nanos, 4, &out);
  AppendGoNumber(0xffff, 2, &out);  // UTC
  return out;
}

std::optional<WallTime> ReadGoTime(std::string_view bytes) {
  if (bytes.empty() || bytes.size() != kGoTimeSize + (bytes[0] == '\x02' ? 1 : 0)) {
    return std::nullopt;
  }
  if (bytes[0] != '\x01' && bytes[0] != '\x02') return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(GoNumber(bytes.substr(1, 8)));
  const auto nanos = static_cast<std::int64_t>(GoNumber(bytes.substr(9, 4)));
  if (nanos >= kNanosPerSecond) return std::nullopt;
  if (seconds == 0 && nanos == 0) return WallTime{0};
  if (seconds < kGoSecondsBefore1970 || seconds > kGoSecondsBefore1970 + kLastWallSecond) {
    return std::nullopt;
  }
  return (seconds - kGoSecondsBefore1970) * kNanosPerSecond + nanos;
}

}  // namespace drover
