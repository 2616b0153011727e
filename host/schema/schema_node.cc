// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/schema/schema_node.h"

#include <functional>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

struct TypeName {
  const char* name;
  SchemaType type;
};
constexpr TypeName kTypes[] = {
    {"object", SchemaType::kObject}, {"array", SchemaType::kArray},
    {"string", SchemaType::kString}, {"integer", SchemaType::kInteger},
    {"number", SchemaType::kNumber}, {"boolean", SchemaType::kBoolean},
    {"null", SchemaType::kNull},
};

Error Bad(const std::string& pointer, const std::string& what) {
  return Error(Code::kInvalidArgument, (pointer.empty() ? "the schema" : pointer) + ": " + what);
}

// Reads the keywords of a schema into a node, one keyword in each call.
class Reader {
 public:
  Reader(SchemaNode* node, const std::string& pointer) : node_(node), pointer_(pointer) {}

  Status Read(const std::string& keyword, const json& value) {
    const std::string here = JsonPointer(pointer_, keyword);
    if (keyword == "type") return ReadType(value, here);
    if (keyword == "properties") return ReadProperties(value, here);
    if (keyword == "required") return ReadRequired(value, here);
    if (keyword == "additionalProperties") return ReadAdditional(value, here);
    if (keyword == "items") return ReadItems(value, here);
    if (keyword == "enum") {
      if (!value.is_array() || value.empty()) return Bad(here, "must be a list of values");
      node_->enumeration = value.get<std::vector<json>>();
    } else if (keyword == "const") {
      node_->constant = value;
    } else if (keyword == "minimum" || keyword == "maximum") {
      if (!value.is_number()) return Bad(here, "must be a number");
      (keyword == "minimum" ? node_->minimum : node_->maximum) = value;
    } else if (keyword == "minLength") {
      return ReadCount(value, here, [this](std::size_t n) { node_->min_length = n; });
    } else if (keyword == "maxLength") {
      return ReadCount(value, here, [this](std::size_t n) { node_->max_length = n; });
    } else if (keyword == "minItems") {
      return ReadCount(value, here, [this](std::size_t n) { node_->min_items = n; });
    } else if (keyword == "maxItems") {
      return ReadCount(value, here, [this](std::size_t n) { node_->max_items = n; });
    } else if (keyword == "default") {
      node_->default_value = value;
    } else if (keyword == "title" || keyword == "description" || keyword == "$schema" ||
               keyword == "$comment") {
      if (!value.is_string()) return Bad(here, "must be a text");
    } else if (keyword != "examples") {
      return Bad(here, "is not a keyword that this host knows; docs/schema.md lists them");
    }
    return {};
  }

 private:
  Status ReadType(const json& value, const std::string& here) {
    for (const TypeName& known : kTypes) {
      if (value == known.name) {
        node_->type = known.type;
        return {};
      }
    }
    return Bad(here, "must be one of object, array, string, integer, number, boolean, null");
  }
  Status ReadProperties(const json& value, const std::string& here) {
    if (!value.is_object()) return Bad(here, "must be an object");
    for (const auto& [name, schema] : value.items()) {
      DROVER_ASSIGN(SchemaNode node, ReadSchemaNode(schema, JsonPointer(here, name)));
      node_->properties.emplace(name, std::move(node));
    }
    return {};
  }
  Status ReadRequired(const json& value, const std::string& here) {
    if (!value.is_array()) return Bad(here, "must be a list of texts");
    for (const json& name : value) {
      if (!name.is_string()) return Bad(here, "must be a list of texts");
      if (!node_->required.insert(name.get<std::string>()).second) {
        return Bad(here, Quoted(name.get<std::string>()) + " occurs twice");
      }
    }
    return {};
  }
  Status ReadAdditional(const json& value, const std::string& here) {
    if (value.is_boolean()) {
      node_->additional_allowed = value.get<bool>();
      return {};
    }
    DROVER_ASSIGN(SchemaNode node, ReadSchemaNode(value, here));
    node_->additional_allowed = true;
    node_->additional = std::make_shared<const SchemaNode>(std::move(node));
    return {};
  }
  Status ReadItems(const json& value, const std::string& here) {
    DROVER_ASSIGN(SchemaNode node, ReadSchemaNode(value, here));
    node_->items = std::make_shared<const SchemaNode>(std::move(node));
    return {};
  }
  static Status ReadCount(const json& value, const std::string& here,
                          const std::function<void(std::size_t)>& set) {
    if (!value.is_number_unsigned()) return Bad(here, "must be a whole number from 0");
    set(value.get<std::size_t>());
    return {};
  }

  SchemaNode* node_;
  const std::string& pointer_;
};

}  // namespace

Result<SchemaNode> ReadSchemaNode(const json& schema, const std::string& pointer) {
  if (!schema.is_object()) return Bad(pointer, "must be an object");
  SchemaNode node;
  Reader reader(&node, pointer);
  for (const auto& [keyword, value] : schema.items()) DROVER_TRY(reader.Read(keyword, value));
  for (const char* keyword : {"properties", "required", "additionalProperties"}) {
    if (schema.contains(keyword) && node.type != SchemaType::kObject) {
      return Bad(JsonPointer(pointer, keyword), "needs \"type\": \"object\" beside it");
    }
  }
  if (schema.contains("items") && node.type != SchemaType::kArray) {
    return Bad(JsonPointer(pointer, "items"), "needs \"type\": \"array\" beside it");
  }
  for (const std::string& name : node.required) {
    if (!node.additional_allowed && !node.properties.contains(name)) {
      return Bad(JsonPointer(pointer, "required"), Quoted(name) + " is not among the properties");
    }
  }
  if (node.default_value) {
    SchemaFaults faults;
    ValidateSchema(node, *node.default_value, "", &faults);
    if (!faults.empty()) {
      return Bad(JsonPointer(pointer, "default"), "is not valid: " + faults.ToError().message());
    }
  }
  return node;
}

void SchemaFaults::Add(const std::string& pointer, const std::string& message) {
  if (messages_.size() == kMaxFaults) {
    ++dropped_;
    return;
  }
  messages_.push_back((pointer.empty() ? "the configuration" : pointer) + ": " + message);
}

Error SchemaFaults::ToError() const {
  std::string text;
  for (const std::string& message : messages_) text += (text.empty() ? "" : "; ") + message;
  if (dropped_ > 0) text += "; and " + std::to_string(dropped_) + " more";
  return Error(Code::kInvalidArgument, text);
}

}  // namespace drover
