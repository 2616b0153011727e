// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover {

// What a frame of yamux is. The values are those on the wire.
enum class YamuxType : std::uint8_t { kData = 0, kWindow = 1, kPing = 2, kGoAway = 3 };

// The flags of a frame.
inline constexpr std::uint16_t kYamuxSyn = 1;
inline constexpr std::uint16_t kYamuxAck = 2;
inline constexpr std::uint16_t kYamuxFin = 4;
inline constexpr std::uint16_t kYamuxRst = 8;

// Why a session ends: the length of a frame of the type kGoAway.
inline constexpr std::uint32_t kYamuxNormal = 0;
inline constexpr std::uint32_t kYamuxProtocolError = 1;

// The bytes that one side may send on a stream before the other side has read any.
inline constexpr std::uint32_t kYamuxWindow = 256 << 10;

// The head of a frame. LENGTH is the number of bytes that follow a head of the type kData, the
// added bytes of a window, the id of a ping, or the reason of a go-away.
struct YamuxHead {
  static constexpr std::size_t kSize = 12;

  YamuxType type = YamuxType::kData;
  std::uint16_t flags = 0;
  std::uint32_t stream = 0;  // 0 for frames of the whole session
  std::uint32_t length = 0;

  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
  bool operator==(const YamuxHead&) const = default;
};

// Adds the bytes of HEAD to OUT.
void AppendYamuxHead(const YamuxHead& head, std::string* out);

// Reads a head of kSize bytes. Returns nothing if its version or its type is unknown.
std::optional<YamuxHead> ReadYamuxHead(std::string_view bytes);

}  // namespace drover
