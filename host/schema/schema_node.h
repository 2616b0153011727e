// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"

// Internal to host/schema: the parsed schema, and the functions that check values by it.
namespace drover {

enum class SchemaType { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean, kNull };

struct SchemaNode {
  SchemaType type = SchemaType::kAny;
  std::map<std::string, SchemaNode, std::less<>> properties;
  std::set<std::string> required;
  bool additional_allowed = false;
  std::shared_ptr<const SchemaNode> additional;  // for each further property; null: anything
  std::shared_ptr<const SchemaNode> items;       // null: anything
  std::optional<std::vector<nlohmann::json>> enumeration;
  std::optional<nlohmann::json> constant;
  std::optional<nlohmann::json> minimum;
  std::optional<nlohmann::json> maximum;
  std::size_t min_length = 0;  // characters
  std::optional<std::size_t> max_length;
  std::size_t min_items = 0;
  std::optional<std::size_t> max_items;
  std::optional<nlohmann::json> default_value;

  bool is_map() const { return additional_allowed && properties.empty(); }
};

Result<SchemaNode> ReadSchemaNode(const nlohmann::json& json, const std::string& pointer);

// The faults of a value, in the order in which they were found.
class SchemaFaults {
 public:
  void Add(const std::string& pointer, const std::string& message);
  bool empty() const { return messages_.empty(); }
  // If true, further faults are only counted, and their messages need not be made.
  bool full() const { return messages_.size() == kMaxFaults; }
  Error ToError() const;

 private:
  static constexpr std::size_t kMaxFaults = 20;
  std::vector<std::string> messages_;
  std::size_t dropped_ = 0;
};

// "a text", "an object", ...: the type that a schema declares, and the type of VALUE.
std::string DeclaredType(SchemaType type);
std::string ActualType(const nlohmann::json& value);

bool HasSchemaType(SchemaType type, const nlohmann::json& value);

// Checks VALUE without its parts: type, enum, const, limits.
void CheckSchemaValue(const SchemaNode& node, const nlohmann::json& value,
                      const std::string& pointer, SchemaFaults* faults);
// Adds the fault of a property that NODE does not know.
void AddUnknownProperty(const SchemaNode& node, std::string_view name, const std::string& pointer,
                        SchemaFaults* faults);

// Checks VALUE with all its parts.
void ValidateSchema(const SchemaNode& node, const nlohmann::json& value, const std::string& pointer,
                    SchemaFaults* faults);
// Brings VALUE into the schema's form and checks it.
void NormalizeSchema(const SchemaNode& node, bool final, const std::string& pointer,
                     nlohmann::json* value, SchemaFaults* faults);

}  // namespace drover
