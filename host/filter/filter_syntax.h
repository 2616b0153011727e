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

// A filter as a tree of expressions. Immutable.
struct FilterNode {
  enum class Kind { kAnd, kOr, kNot, kEquals, kContains, kEmpty, kNil, kMatches, kAny, kAll };

  Kind kind = Kind::kAnd;
  std::shared_ptr<const FilterNode> left = nullptr,
                                    right = nullptr;  // kNot, kAny and kAll have only `left`
  std::vector<std::string> field = {};                // not of kAnd, kOr and kNot: the path to it
  std::string value = {};                             // of kEquals and kContains
  std::shared_ptr<const re2::RE2> pattern = nullptr;  // of kMatches
  // kAny and kAll name each element, and its index or key, for the inner expression; empty: no
  // name. SINGLE names an element of a list, but a key of an object.
  std::string single = {}, key = {}, element = {};
};
using FilterNodePtr = std::shared_ptr<const FilterNode>;

// Reads a filter; LIMITS as in ListFilter. The error says what is wrong and where.
Result<FilterNodePtr> ParseFilter(std::string_view text);

}  // namespace drover
