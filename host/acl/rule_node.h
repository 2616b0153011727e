// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

struct RuleEntry;

// A part of a policy as it is written, in HCL or JSON, with its place.
struct RuleNode {
  enum class Kind { kText, kList, kBody, kOther };
  Kind kind = Kind::kBody;
  std::string place;               // "line 3" in HCL, a JSON pointer in JSON
  std::string text;                // kText
  std::vector<RuleNode> list;      // kList
  std::vector<RuleEntry> entries;  // kBody; a key may be there several times
};

// A key of a body. The label of a block is the only key of a body within it, so that
// namespace "a" { ... } in HCL and {"namespace": {"a": {...}}} in JSON are the same.
struct RuleEntry {
  std::string key;
  std::string place;
  RuleNode node;
};

// Reads JSON. The nesting and the size are limited.
Result<RuleNode> ReadJsonRules(const std::string& text);
// Reads HCL in the first version of the language, as Nomad does. Nothing is evaluated. Blocks; see
// ReadHclTree.
Result<RuleNode> ReadHclRules(const std::string& text);
// Converts TREE, an answer of drover-hcl; see hcl/tree.go. For tests, too.
Result<RuleNode> RulesOfTree(const nlohmann::json& tree);

}  // namespace drover
