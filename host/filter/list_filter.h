// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "host/base/result.h"

namespace drover {

struct FilterNode;

// A filter expression, the value of the query parameter ?filter. With it, clients choose elements
// of a list:
//
//   Status == "running" and not (JobID contains "test" or "x" in Datacenters)
//   Meta["owner"] is not empty or ID matches "^web-[0-9]+$"
//   Periodic is not nil
//   any TaskGroups as g { g.Count == 0 or all g.Tasks as t { t.Driver == "exec" } }
//
// A field has the name that it has in the JSON of the element. A part of a field is ".name" or
// ["name"], and an element of a list is ".0". A JSON pointer in quotes also stands for a field. A
// key that a map does not have equals no value, is empty and is nil. A field that an object of the
// API does not have is an error. Immutable. [any thread]
class ListFilter {
 public:
  // The maximum size in bytes of an expression, and its maximum depth. Parse refuses a larger or
  // deeper expression.
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr int kMaxDepth = 32;
  static constexpr int kMaxPatterns = 16;  // maximum number of regular expressions

  // How many steps a request has left. A step is about one comparison of up to 64 bytes. Without a
  // limit, nested loops could keep a thread busy for hours.
  struct Budget {
    std::size_t steps = 20'000'000;
  };

  // Parses TEXT. The error describes the mistake and its position.
  static Result<ListFilter> Parse(std::string_view text);

  // Returns true if the filter chooses ELEMENT. Returns kInvalidArgument if ELEMENT does not have
  // a field of the filter, if the type of a field does not allow the comparison, or if BUDGET is
  // used up.
  Result<bool> Chooses(const nlohmann::json& element, Budget* budget) const;

  // Returns true if the filter uses the element's field NAME.
  bool LooksAt(std::string_view name) const;

 private:
  explicit ListFilter(std::shared_ptr<const FilterNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const FilterNode> root_;
};

}  // namespace drover
