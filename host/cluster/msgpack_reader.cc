// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/msgpack_reader.h"

#include <utility>

namespace drover {
namespace {

using nlohmann::json;

// The bytes that begin a value. A name with "Fix" has the size in the byte itself.
enum MsgpackByte : std::uint8_t {
  kFixMapFirst = 0x80,
  kFixListFirst = 0x90,
  kFixTextFirst = 0xa0,
  kFixTextLast = 0xbf,
  kNil = 0xc0,
  kNeverUsed = 0xc1,
  kTrue = 0xc3,
  kBytes8 = 0xc4,
  kBytes32 = 0xc6,
  kExtension8 = 0xc7,
  kExtension32 = 0xc9,
  kFloat32 = 0xca,
  kFloat64 = 0xcb,
  kUnsigned8 = 0xcc,
  kUnsigned64 = 0xcf,
  kSigned8 = 0xd0,
  kSigned64 = 0xd3,
  kFixExtensionFirst = 0xd4,
  kFixExtensionLast = 0xd8,
  kText8 = 0xd9,
  kText32 = 0xdb,
  kList16 = 0xdc,
  kList32 = 0xdd,
  kMap16 = 0xde,
  kMap32 = 0xdf,
};

// Makes texts of all byte strings in VALUE. The scanner has bounded the depth.
void TextsOfByteStrings(json* value) {
  if (value->is_binary()) {
    const auto& bytes = value->get_binary();
    std::string text(bytes.begin(), bytes.end());
    *value = std::move(text);
  } else if (value->is_structured()) {
    for (json& member : *value) TextsOfByteStrings(&member);
  }
}

}  // namespace

Error MsgpackScanner::Fault(const char* what) const {
  return Error(Code::kInvalidArgument,
               "byte " + std::to_string(at_) + " of the msgpack value: " + what);
}

Result<std::optional<MsgpackScanner::Head>> MsgpackScanner::ReadHead(std::string_view rest) {
  if (rest.empty()) return std::optional<Head>();
  const auto first = static_cast<std::uint8_t>(rest[0]);
  Head head;
  std::size_t size_bytes = 0;  // of a size that follows
  bool is_map = false, is_list = false;
  if (first < kFixMapFirst || first > kMap32 || (first >= kNil && first <= kTrue)) {
    if (first == kNeverUsed) return Fault("0xc1 begins no value");
  } else if (first < kFixListFirst) {
    is_map = true;
    head.members = first & 0x0fu;
  } else if (first < kFixTextFirst) {
    is_list = true;
    head.members = first & 0x0fu;
  } else if (first <= kFixTextLast) {
    head.is_text = true;
    head.body = first & 0x1fu;
  } else if (first <= kBytes32) {
    has_bytes_ = true;
    size_bytes = std::size_t{1} << (first - kBytes8);
  } else if (first <= kExtension32 || (first >= kFixExtensionFirst && first <= kFixExtensionLast)) {
    return Fault("types of applications are not used between nodes and servers");
  } else if (first <= kFloat64) {
    head.body = first == kFloat32 ? 4 : 8;
  } else if (first <= kUnsigned64) {
    head.body = std::uint64_t{1} << (first - kUnsigned8);
  } else if (first <= kSigned64) {
    head.body = std::uint64_t{1} << (first - kSigned8);
  } else if (first <= kText32) {
    head.is_text = true;
    size_bytes = std::size_t{1} << (first - kText8);
  } else {
    is_map = first >= kMap16;
    is_list = !is_map;
    size_bytes = first == kList16 || first == kMap16 ? 2 : 4;
  }
  if (rest.size() < 1 + size_bytes) return std::optional<Head>();
  std::uint64_t size = 0;
  for (std::size_t i = 1; i <= size_bytes; ++i)
    size = size << 8 | static_cast<std::uint8_t>(rest[i]);
  head.size += size_bytes;
  head.is_map = is_map;
  head.is_list = is_list;
  if (size_bytes != 0) (is_map || is_list ? head.members : head.body) = size;
  if (is_map) head.members *= 2;
  return std::optional<Head>(head);
}

Result<std::optional<std::size_t>> MsgpackScanner::Scan(std::string_view so_far) {
  while (seen_ == 0 || !open_.empty()) {
    if (at_ > so_far.size()) return std::optional<std::size_t>();
    const auto read = ReadHead(so_far.substr(at_));
    if (!read.ok()) return read.error();
    if (!*read) return std::optional<std::size_t>();
    const Head& head = **read;
    const bool is_key = !open_.empty() && open_.back().is_map && open_.back().left % 2 == 0;
    if (is_key && !head.is_text) return Fault("the key of a map is no text");
    if (head.body > limits_.bytes || at_ + head.size + head.body > limits_.bytes) {
      return Error(Code::kResourceExhausted, "the msgpack value has more than the allowed " +
                                                 std::to_string(limits_.bytes) + " bytes");
    }
    ++seen_;
    if (!open_.empty()) {
      --open_.back().left;
      --promised_;
    }
    promised_ += head.members;
    if (seen_ + promised_ > limits_.values) {
      return Error(Code::kResourceExhausted, "the msgpack value has more than the allowed " +
                                                 std::to_string(limits_.values) + " parts");
    }
    if (head.is_map || head.is_list) {
      if (open_.size() >= limits_.depth) {
        return Error(Code::kResourceExhausted,
                     "the msgpack value is nested deeper than the allowed " +
                         std::to_string(limits_.depth) + " levels");
      }
      open_.push_back({head.members, head.is_map});
    }
    at_ += head.size + static_cast<std::size_t>(head.body);
    while (!open_.empty() && open_.back().left == 0) open_.pop_back();
  }
  // The body of the last value may still be on its way.
  if (at_ > so_far.size()) return std::optional<std::size_t>();
  return std::optional<std::size_t>(at_);
}

Result<json> ReadMsgpack(std::string_view bytes, MsgpackLimits limits) {
  MsgpackScanner scanner(limits);
  const auto size = scanner.Scan(bytes);
  if (!size.ok()) return size.error();
  if (!*size) {
    return Error(Code::kInvalidArgument, "the msgpack value ends after " +
                                             std::to_string(bytes.size()) +
                                             " bytes, before it is complete");
  }
  if (**size != bytes.size()) {
    return Error(Code::kInvalidArgument, "there are " + std::to_string(bytes.size() - **size) +
                                             " bytes after the msgpack value");
  }
  json value = json::from_msgpack(bytes.begin(), bytes.end(), /*strict=*/true,
                                  /*allow_exceptions=*/false);
  if (value.is_discarded()) return Error(Code::kInvalidArgument, "the value is not msgpack");
  if (scanner.has_bytes()) TextsOfByteStrings(&value);
  return value;
}

std::string WriteMsgpack(const json& value) {
  std::string bytes;
  json::to_msgpack(value, nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

}  // namespace drover
