// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// An expression of ?filter, as clients write them to choose among the elements of a list:
//
//   Status == "running" and not (JobID contains "test" or "x" in Datacenters)
//   Meta["owner"] is not empty or ID matches "^web-[0-9]+$"
//
// A field is named as in the JSON of the element, with ".name" or ["name"] for what is inside.
// Immutable; from any thread.
class ListFilter {
 public:
  // Longer expressions, and those that are nested deeper, are refused.
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr int kMaxDepth = 32;
  static constexpr int kMaxPatterns = 16;  // regular expressions

  // The error says what is wrong and where.
  static Result<ListFilter> Parse(std::string_view text);

  // Whether ELEMENT is chosen. kInvalidArgument: it has no such field, or the field is of a type
  // that cannot be compared in this way.
  Result<bool> Chooses(const nlohmann::json& element) const;

  struct Node;

 private:
  explicit ListFilter(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace drover
