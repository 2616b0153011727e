// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "host/base/result.h"

namespace drover {

struct FilterNode;

// An expression of ?filter, by which clients choose among the elements of a list:
//
//   Status == "running" and not (JobID contains "test" or "x" in Datacenters)
//   Meta["owner"] is not empty or ID matches "^web-[0-9]+$"
//   Periodic is not nil
//   any TaskGroups as g { g.Count == 0 or all g.Tasks as t { t.Driver == "exec" } }
//
// A field is named as in the JSON of the element, with ".name" or ["name"] for its parts and ".0"
// for an element of a list, or by a JSON pointer in quotes. A key that a map does not have equals
// no value, is empty and is nil. A field that an object of the API does not have is an error.
// Immutable. [any thread]
class ListFilter {
 public:
  // Expressions that are longer, or nested deeper, are refused.
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr int kMaxDepth = 32;
  static constexpr int kMaxPatterns = 16;  // regular expressions

  // The most that one request may look at, in comparisons of some bytes each. Without it, loops
  // within loops could keep a thread busy for hours.
  struct Budget {
    std::size_t steps = 20'000'000;
  };

  // The error says what is wrong and where.
  static Result<ListFilter> Parse(std::string_view text);

  // Whether ELEMENT is chosen. kInvalidArgument: it has no such field, the field is of a type that
  // cannot be compared in this way, or BUDGET is used up.
  Result<bool> Chooses(const nlohmann::json& element, Budget* budget) const;

  // Whether it looks at the element's field NAME.
  bool LooksAt(std::string_view name) const;

 private:
  explicit ListFilter(std::shared_ptr<const FilterNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const FilterNode> root_;
};

}  // namespace drover
