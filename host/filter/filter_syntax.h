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

// A filter, parsed to a tree of expressions. Immutable.
struct FilterNode {
  enum class Kind { kAnd, kOr, kNot, kEquals, kContains, kEmpty, kNil, kMatches, kAny, kAll };

  Kind kind = Kind::kAnd;
  std::shared_ptr<const FilterNode> left = nullptr,
                                    right = nullptr;  // kNot, kAny and kAll use only `left`
  std::vector<std::string> field = {};  // path to the field; empty for kAnd, kOr, kNot
  std::string value = {};               // with kEquals or kContains, the value to compare with
  std::shared_ptr<const re2::RE2> pattern = nullptr;  // with kMatches, the pattern that must match
  // The names in kAny and kAll by which the inner expression refers to an item. Empty means no
  // name. With one name, SINGLE is for the element of a list or for the key of an object. With two
  // names, KEY is for the index or key, and ELEMENT is for the element.
  std::string single = {}, key = {}, element = {};
};
using FilterNodePtr = std::shared_ptr<const FilterNode>;

// Parses a filter with the limits of ListFilter. The error describes the mistake and its position.
Result<FilterNodePtr> ParseFilter(std::string_view text);

}  // namespace drover
