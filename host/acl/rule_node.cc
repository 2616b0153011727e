// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/rule_node.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "host/acl/policy.h"
#include "host/hcl/hcl_program.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using RuleKind = RuleNode::Kind;

// A policy has at most six levels. More of them are faults that are reported with their place.
constexpr std::size_t kMostRuleDepth = 16;
constexpr std::size_t kMostRuleKeys = 4;  // the keyword of a block and its labels

// The pointers of all values below a long key would cost far more than the text.
constexpr std::size_t kMostPlaceBytes = 64;

std::string PlaceBelow(const std::string& pointer, std::string_view key) {
  if (key.size() <= kMostPlaceBytes) return JsonPointer(pointer, key);
  std::size_t end = kMostPlaceBytes;  // the loop moves END back to the start of a character
  while (end > 0 && (static_cast<unsigned char>(key[end]) & 0xc0) == 0x80) --end;
  return JsonPointer(pointer, std::string(key.substr(0, end)) + "...");
}

RuleNode RulesOfJson(const json& value, const std::string& pointer) {
  RuleNode node;
  node.place = pointer.empty() ? "the policy" : pointer;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      const std::string below = PlaceBelow(pointer, key);
      node.entries.push_back({key, below, RulesOfJson(member, below)});
    }
  } else if (value.is_array()) {
    node.kind = RuleKind::kList;
    for (std::size_t i = 0; i < value.size(); ++i) {
      node.list.push_back(RulesOfJson(value[i], JsonPointer(pointer, i)));
    }
  } else if (value.is_string()) {
    node.kind = RuleKind::kText;
    node.text = value.get<std::string>();
  } else {
    node.kind = RuleKind::kOther;
  }
  return node;
}

// The outermost body has no line.
std::string LineOf(const json& of) {
  const int line = of.at("Line").get<int>();
  return line > 0 ? "line " + std::to_string(line) : "the policy";
}

// Sets FAULT if an entry has too many labels.
RuleNode RulesOfTreeNode(const json& tree, std::optional<Error>* fault) {
  RuleNode node;
  node.place = LineOf(tree);
  if (tree.contains("Value")) {
    const json& value = tree.at("Value");
    node.kind = value.is_string() ? RuleKind::kText : RuleKind::kOther;
    if (value.is_string()) node.text = value.get<std::string>();
  } else if (tree.contains("List")) {
    node.kind = RuleKind::kList;
    for (const json& one : tree.at("List")) node.list.push_back(RulesOfTreeNode(one, fault));
  } else {
    for (const json& item : tree.at("Items")) {
      const std::string place = LineOf(item);
      const auto keys = item.at("Keys").get<std::vector<std::string>>();
      RuleNode inner = RulesOfTreeNode(item.at("Node"), fault);
      if (keys.empty() || keys.size() > kMostRuleKeys) {
        *fault = Error(Code::kInvalidArgument, place + ": a block has one name at most");
        return node;
      }
      for (auto key = std::prev(keys.end()); key != keys.begin(); --key) {
        RuleNode outer;
        outer.place = place;
        outer.entries.push_back({*key, place, std::move(inner)});
        inner = std::move(outer);
      }
      node.entries.push_back({keys.front(), place, std::move(inner)});
    }
  }
  return node;
}

}  // namespace

Result<RuleNode> ReadJsonRules(const std::string& text) {
  DROVER_ASSIGN(const json read,
                ParseStrictJson(text, {.bytes = kMostPolicyBytes, .depth = kMostRuleDepth}));
  return RulesOfJson(read, "");
}

Result<RuleNode> RulesOfTree(const json& tree) {
  try {
    std::optional<Error> fault;
    RuleNode root = RulesOfTreeNode(tree, &fault);
    if (fault) return *fault;
    return root;
  } catch (const json::exception& e) {
    return Error(Code::kInternal,
                 std::string("the answer of drover-hcl is not understood: ") + e.what());
  }
}

Result<RuleNode> ReadHclRules(const std::string& text) {
  DROVER_ASSIGN(const HclReply reply, ReadHclTree("policy", text));
  if (!reply.diagnostics.empty()) {
    const HclDiagnostic& fault = reply.diagnostics.front();
    const std::string line = fault.line > 0 ? "line " + std::to_string(fault.line) + ": " : "";
    return Error(Code::kInvalidArgument,
                 line + "not HCL: " + (fault.detail.empty() ? fault.summary : fault.detail));
  }
  return RulesOfTree(reply.value);
}

}  // namespace drover
