// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// Limits for msgpack from another machine. A value beyond a limit is refused as soon as its size is
// known, before it costs memory or stack.
struct MsgpackLimits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t depth = 64;  // the maximum nesting of maps and lists
  // Values in all, with the keys of maps. A value of one byte takes about a hundred in memory.
  std::size_t values = std::size_t{1} << 20;
};

// Finds the end of one msgpack value in bytes that arrive in parts, without reading it. The scanner
// uses no recursion, and it looks at each byte once. [any thread]
class MsgpackScanner {
 public:
  explicit MsgpackScanner(MsgpackLimits limits = {}) : limits_(limits) {}

  // SO_FAR has all bytes from the start of the value that have arrived. It begins with the bytes of
  // the last call. Returns the size of the value, nothing if more bytes are needed, or an error
  // (kInvalidArgument or kResourceExhausted) if this can be no value within the limits. After an
  // error or a size, the scanner is at its end.
  Result<std::optional<std::size_t>> Scan(std::string_view so_far);

  // Returns whether a byte string was among the values: msgpack has them apart from texts.
  bool has_bytes() const { return has_bytes_; }

 private:
  // The first bytes of a value, which say how much follows.
  struct Head {
    std::size_t size = 1;       // of the head, in bytes
    std::uint64_t body = 0;     // bytes after the head
    std::uint64_t members = 0;  // values after the head, with the keys of a map
    bool is_map = false;
    bool is_list = false;
    bool is_text = false;
  };
  // The rest of a list or map that is open.
  struct Open {
    std::uint64_t left;
    bool is_map;
  };

  Result<std::optional<Head>> ReadHead(std::string_view rest);
  Error Fault(const char* what) const;

  MsgpackLimits limits_;
  std::vector<Open> open_;
  std::size_t at_ = 0;
  // Values that are promised, but have not been seen; those of open lists and maps.
  std::uint64_t promised_ = 0;
  std::size_t seen_ = 0;
  bool has_bytes_ = false;
};

// Reads BYTES, which must be one msgpack value and nothing more. Texts need not be UTF-8, since Go
// writes bytes and times as texts. Byte strings become texts, too. Maps with keys that are no
// texts, and types of applications, are refused. Never throws. [any thread]
Result<nlohmann::json> ReadMsgpack(std::string_view bytes, MsgpackLimits limits = {});

// Returns VALUE in msgpack. Texts are written as they are, also if they are not UTF-8. VALUE is our
// own, so it has no limits.
std::string WriteMsgpack(const nlohmann::json& value);

}  // namespace drover
