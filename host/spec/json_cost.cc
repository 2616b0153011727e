// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/json_cost.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace drover {
namespace {

using nlohmann::json;

// The bytes that the allocator adds to a block.
constexpr std::size_t kBlockBytes = 16;
// The bytes of a value in a list. The capacity of the list may be twice its size.
constexpr std::size_t kValueBytes = 2 * sizeof(json);
constexpr std::size_t kObjectBytes = sizeof(json::object_t) + kBlockBytes;
constexpr std::size_t kListBytes = sizeof(json::array_t) + kBlockBytes;
constexpr std::size_t kTextBytes = sizeof(std::string) + kBlockBytes;
// The bytes of a member of an object: a tree node, which holds the key and the value.
constexpr std::size_t kMemberBytes = 32 + sizeof(json::object_t::value_type) + kBlockBytes;

}  // namespace

std::size_t JsonCost(std::string_view text) {
  std::size_t cost = kValueBytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
        cost += kObjectBytes;
        break;
      case '[':
        cost += kListBytes;
        break;
      case ',':
        cost += kValueBytes;
        break;
      case ':':
        cost += kMemberBytes;
        break;
      case '"': {
        const std::size_t begin = i++;
        while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
        cost += kTextBytes + (i - begin);
        break;
      }
      default:
        break;
    }
  }
  return cost;
}

}  // namespace drover
