// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/node_meta_json.h"

namespace drover {

nlohmann::json EncodeMetaChanges(const NodeMeta::Changes& changes) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [key, value] : changes) {
    json[key] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  return json;
}

Result<NodeMeta::Changes> DecodeMetaChanges(const nlohmann::json& json) {
  if (!json.is_object()) return Error(Code::kInvalidArgument, "must be an object");
  NodeMeta::Changes changes;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_null() && !value.is_string()) {
      return Error(Code::kInvalidArgument,
                   "\"" + key + "\" must be a text, or null, which unsets it");
    }
    changes[key] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  }
  return changes;
}

}  // namespace drover
