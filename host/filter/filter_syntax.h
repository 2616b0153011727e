// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace re2 {
class RE2;
}

namespace drover {

// A node in the tree of expressions that a filter is parsed to. Immutable.
struct FilterNode {
  enum class Kind { kAnd, kOr, kNot, kEquals, kContains, kEmpty, kNil, kMatches, kAny, kAll };

  Kind kind = Kind::kAnd;
  std::shared_ptr<const FilterNode> left = nullptr,
                                    right = nullptr;  // kNot, kAny and kAll use only `left`
  std::vector<std::string> field = {};  // path to the field; empty for kAnd, kOr, kNot
  std::string value = {};               // with kEquals or kContains, the value to compare with
  std::shared_ptr<const re2::RE2> pattern = nullptr;  // with kMatches, the pattern that must match
  // The names by which the inner expression of kAny or kAll refers to an item; empty means no name.
  // If the filter gives one name, it is `single`: the element of a list, or the key of an object.
  // If it gives two names, `key` is the index or key, and `element` is the value.
  std::string single = {}, key = {}, element = {};
};
using FilterNodePtr = std::shared_ptr<const FilterNode>;

// Parses a filter with the limits of ListFilter. The error describes the mistake and its position.
Result<FilterNodePtr> ParseFilter(std::string_view text);

}  // namespace drover
