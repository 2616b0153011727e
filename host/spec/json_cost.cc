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
constexpr std::size_t kBlock = 16;
// A value in its list, which may have grown to twice the needed size.
constexpr std::size_t kValue = 2 * sizeof(json);
constexpr std::size_t kObject = sizeof(json::object_t) + kBlock;
constexpr std::size_t kList = sizeof(json::array_t) + kBlock;
constexpr std::size_t kText = sizeof(std::string) + kBlock;
// A member of an object: a node of a tree, with its key.
constexpr std::size_t kMember = 32 + sizeof(json::object_t::value_type) + kBlock;

}  // namespace

std::size_t JsonCost(std::string_view text) {
  std::size_t cost = kValue;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
        cost += kObject;
        break;
      case '[':
        cost += kList;
        break;
      case ',':
        cost += kValue;
        break;
      case ':':
        cost += kMember;
        break;
      case '"': {
        const std::size_t begin = i++;
        while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
        cost += kText + (i - begin);
        break;
      }
      default:
        break;
    }
  }
  return cost;
}

}  // namespace drover
