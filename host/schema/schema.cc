// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/schema/schema.h"

#include <utility>

#include "host/schema/schema_node.h"
#include "host/spec/strict_json.h"

namespace drover {

using nlohmann::json;

Result<Schema> Schema::Parse(std::string_view text) {
  const auto value = ParseStrictJson(text);
  if (!value.ok()) return value.error().WithContext("the schema");
  DROVER_ASSIGN(SchemaNode node, ReadSchemaNode(*value, ""));
  return Schema(std::make_shared<const SchemaNode>(std::move(node)));
}

Status Schema::Validate(std::string_view text) const {
  DROVER_ASSIGN(const json value, ParseStrictJson(text));
  SchemaFaults faults;
  ValidateSchema(*root_, value, "", &faults);
  if (!faults.empty()) return faults.ToError();
  return {};
}

Result<std::string> Schema::Normalize(std::string_view text, bool final,
                                      const std::string& place) const {
  DROVER_ASSIGN(json value, ParseStrictJson(text));
  SchemaFaults faults;
  NormalizeSchema(*root_, final, place, &value, &faults);
  if (!faults.empty()) return faults.ToError();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace drover
