// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "host/schema/schema_node.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

std::size_t Characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Shown(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

// Returns how many single-character edits turn one name into the other, ignoring case. If more than
// LIMIT edits are needed, returns any number above LIMIT.
std::size_t Distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string DeclaredType(SchemaType type) {
  switch (type) {
    case SchemaType::kObject:
      return "an object";
    case SchemaType::kArray:
      return "a list";
    case SchemaType::kString:
      return "a text";
    case SchemaType::kInteger:
      return "a whole number";
    case SchemaType::kNumber:
      return "a number";
    case SchemaType::kBoolean:
      return "true or false";
    case SchemaType::kNull:
      return "null";
    case SchemaType::kAny:
      break;
  }
  return "a value";
}

std::string ActualType(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (value.is_string()) return "the text " + Quoted(value.get_ref<const std::string&>());
  return value.dump();
}

bool HasSchemaType(SchemaType type, const json& value) {
  switch (type) {
    case SchemaType::kObject:
      return value.is_object();
    case SchemaType::kArray:
      return value.is_array();
    case SchemaType::kString:
      return value.is_string();
    case SchemaType::kInteger:
      return value.is_number_integer() ||
             (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
    case SchemaType::kNumber:
      return value.is_number();
    case SchemaType::kBoolean:
      return value.is_boolean();
    case SchemaType::kNull:
      return value.is_null();
    case SchemaType::kAny:
      return true;
  }
  return false;
}

void AddUnknownProperty(const SchemaNode& node, std::string_view name, const std::string& pointer,
                        SchemaFaults* faults) {
  const std::string* nearest = nullptr;
  std::size_t best = 3;
  for (const auto& [known, unused] : node.properties) {
    if (faults->full()) break;  // limits the time for a million bad names
    const std::size_t distance = Distance(name.substr(0, 100), known, 2);
    if (distance < best && distance < known.size()) {
      best = distance;
      nearest = &known;
    }
  }
  faults->Add(pointer, nearest == nullptr
                           ? std::string("there is no such field")
                           : "there is no such field; did you mean " + Quoted(*nearest) + "?");
}

void CheckSchemaValue(const SchemaNode& node, const json& value, const std::string& pointer,
                      SchemaFaults* faults) {
  if (!HasSchemaType(node.type, value)) {
    faults->Add(pointer, "must be " + DeclaredType(node.type) + ", but is " + ActualType(value));
    return;
  }
  if (node.enumeration && std::find(node.enumeration->begin(), node.enumeration->end(), value) ==
                              node.enumeration->end()) {
    std::string known;
    for (const json& one : *node.enumeration) known += (known.empty() ? "" : ", ") + Shown(one);
    faults->Add(pointer, "must be one of " + known + ", but is " + Shown(value));
    return;
  }
  if (node.constant && *node.constant != value) {
    faults->Add(pointer, "must be " + Shown(*node.constant) + ", but is " + Shown(value));
    return;
  }
  if (value.is_number()) {
    if (node.minimum && value < *node.minimum) {
      faults->Add(pointer, "must be at least " + Shown(*node.minimum) + ", but is " + Shown(value));
    } else if (node.maximum && value > *node.maximum) {
      faults->Add(pointer, "must be at most " + Shown(*node.maximum) + ", but is " + Shown(value));
    }
  } else if (value.is_string()) {
    const std::size_t length = Characters(value.get_ref<const std::string&>());
    if (length < node.min_length) {
      faults->Add(pointer, node.min_length == 1
                               ? std::string("must not be empty")
                               : "must have at least " + std::to_string(node.min_length) +
                                     " characters, but has " + std::to_string(length));
    } else if (node.max_length && length > *node.max_length) {
      faults->Add(pointer, "must have at most " + std::to_string(*node.max_length) +
                               " characters, but has " + std::to_string(length));
    }
  } else if (value.is_array()) {
    if (value.size() < node.min_items) {
      faults->Add(pointer, "must have at least " + std::to_string(node.min_items) +
                               " elements, but has " + std::to_string(value.size()));
    } else if (node.max_items && value.size() > *node.max_items) {
      faults->Add(pointer, "must have at most " + std::to_string(*node.max_items) +
                               " elements, but has " + std::to_string(value.size()));
    }
  }
}

void ValidateSchema(const SchemaNode& node, const json& value, const std::string& pointer,
                    SchemaFaults* faults) {
  CheckSchemaValue(node, value, pointer, faults);
  if (!HasSchemaType(node.type, value)) return;
  if (value.is_array() && node.items != nullptr) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      ValidateSchema(*node.items, value[i], JsonPointer(pointer, i), faults);
    }
  }
  if (node.type != SchemaType::kObject) return;
  for (const std::string& name : node.required) {
    if (!value.contains(name)) faults->Add(JsonPointer(pointer, name), "is missing");
  }
  for (const auto& [name, member] : value.items()) {
    const std::string here = JsonPointer(pointer, name);
    const auto property = node.properties.find(name);
    if (property != node.properties.end()) {
      ValidateSchema(property->second, member, here, faults);
    } else if (!node.additional_allowed) {
      AddUnknownProperty(node, name, here, faults);
    } else if (node.additional != nullptr) {
      ValidateSchema(*node.additional, member, here, faults);
    }
  }
}

}  // namespace drover
