// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "host/config/config_node.h"
#include "host/hcl/hcl_program.h"

namespace drover {
namespace {

using nlohmann::json;

// TREE is an answer of drover-hcl, which bounds its depth.
ConfigNode NodeOf(const json& tree) {
  ConfigNode node;
  node.line = tree.at("Line").get<int>();
  if (tree.contains("Value")) {
    node.kind = ConfigNode::Kind::kValue;
    node.value = tree.at("Value");
    node.written = tree.value("Written", "");
  } else if (tree.contains("List")) {
    node.kind = ConfigNode::Kind::kList;
    for (const json& one : tree.at("List")) node.list.push_back(NodeOf(one));
  } else {
    for (const json& item : tree.at("Items")) {
      node.entries.push_back({item.at("Keys").get<std::vector<std::string>>(),
                              item.at("Line").get<int>(), NodeOf(item.at("Node"))});
    }
  }
  return node;
}

}  // namespace

Result<ConfigNode> ReadHclConfig(const std::string& file, const std::string& text) {
  DROVER_ASSIGN(const HclReply reply, ReadHclTree(file, text));
  if (!reply.diagnostics.empty()) {
    const HclDiagnostic& fault = reply.diagnostics.front();
    const std::string line = fault.line > 0 ? "line " + std::to_string(fault.line) + ": " : "";
    return Error(Code::kInvalidArgument,
                 line + "not HCL: " + (fault.detail.empty() ? fault.summary : fault.detail));
  }
  try {
    return NodeOf(reply.value);
  } catch (const json::exception& e) {
    return Error(Code::kInternal,
                 std::string("the answer of drover-hcl is not understood: ") + e.what());
  }
}

}  // namespace drover
