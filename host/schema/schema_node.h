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

// Internal to host/schema: the parsed schema, and the functions that check values against it.
namespace drover {

enum class SchemaType { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean, kNull };

struct SchemaNode {
  SchemaType type = SchemaType::kAny;
  std::map<std::string, SchemaNode, std::less<>> properties;
  std::set<std::string> required;
  bool additional_allowed = false;
  // The schema of all properties that are not in PROPERTIES. If it is null, these properties may
  // have any value.
  std::shared_ptr<const SchemaNode> additional;
  // The schema of each array element; null if any value is valid.
  std::shared_ptr<const SchemaNode> items;
  std::optional<std::vector<nlohmann::json>> enumeration;
  std::optional<nlohmann::json> constant;
  std::optional<nlohmann::json> minimum;
  std::optional<nlohmann::json> maximum;
  std::size_t min_length = 0;  // lengths are in characters
  std::optional<std::size_t> max_length;
  std::size_t min_items = 0;
  std::optional<std::size_t> max_items;
  std::optional<nlohmann::json> default_value;

  bool is_map() const { return additional_allowed && properties.empty(); }
};

Result<SchemaNode> ReadSchemaNode(const nlohmann::json& json, const std::string& pointer);

// Collects the faults of a value, in the order in which the checks find them.
class SchemaFaults {
 public:
  void Add(const std::string& pointer, const std::string& message);
  bool empty() const { return messages_.empty(); }
  // Returns true if further faults are only counted, so the caller need not make messages for them.
  bool full() const { return messages_.size() == kMaxFaults; }
  Error ToError() const;

 private:
  static constexpr std::size_t kMaxFaults = 20;
  std::vector<std::string> messages_;
  std::size_t dropped_ = 0;
};

// These functions return the name of TYPE and of the type of VALUE for messages: "a text", "an
// object" and so on.
std::string DeclaredType(SchemaType type);
std::string ActualType(const nlohmann::json& value);

bool HasSchemaType(SchemaType type, const nlohmann::json& value);

// Checks the type, enum, const and limits of VALUE, but not its elements and members.
void CheckSchemaValue(const SchemaNode& node, const nlohmann::json& value,
                      const std::string& pointer, SchemaFaults* faults);
// Adds the fault of a property that NODE does not declare.
void AddUnknownProperty(const SchemaNode& node, std::string_view name, const std::string& pointer,
                        SchemaFaults* faults);

// Checks VALUE with all its elements and members.
void ValidateSchema(const SchemaNode& node, const nlohmann::json& value, const std::string& pointer,
                    SchemaFaults* faults);
// Converts VALUE to the form that the schema declares, and checks it.
void NormalizeSchema(const SchemaNode& node, bool final, const std::string& pointer,
                     nlohmann::json* value, SchemaFaults* faults);

}  // namespace drover
