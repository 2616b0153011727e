// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/variables/variable_record.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/identity/base64url.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr JsonLimits kVariableJson{.bytes = 2u << 20, .depth = 4};

}  // namespace

std::string VariableId(const std::string& name_space, const std::string& path) {
  return name_space + "/" + path;
}

std::string VariableText(const VariableRecord& record) {
  return JsonText({{"Namespace", record.name_space},
                   {"Path", record.path},
                   {"SealedItems", Base64Url(record.sealed_items)},
                   {"CreateIndex", record.create_index},
                   {"ModifyIndex", record.modify_index},
                   {"CreateTime", record.create_time},
                   {"ModifyTime", record.modify_time}});
}

Result<VariableRecord> ReadVariable(const std::string& text) {
  DROVER_ASSIGN(const json object, ParseStrictJson(text, kVariableJson));
  VariableRecord record;
  std::string sealed;
  try {
    object.at("Namespace").get_to(record.name_space);
    object.at("Path").get_to(record.path);
    object.at("SealedItems").get_to(sealed);
    object.at("CreateIndex").get_to(record.create_index);
    object.at("ModifyIndex").get_to(record.modify_index);
    object.at("CreateTime").get_to(record.create_time);
    object.at("ModifyTime").get_to(record.modify_time);
  } catch (const json::exception& e) {
    return Error(Code::kInvalidArgument, e.what());
  }
  std::optional<std::string> items = FromBase64Url(sealed);
  if (record.path.empty() || !items || items->empty()) {
    return Error(Code::kInvalidArgument, "the record of a variable is damaged");
  }
  record.sealed_items = std::move(*items);
  return record;
}

}  // namespace drover
