// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstdint>

#include "host/schema/schema_node.h"
#include "host/spec/strict_json.h"

// Clients write configurations in languages that have blocks and only one kind of scalar. In the
// JSON that arrives, a block is a list of one object, and a number may be a text. This file
// converts such JSON to the form that the driver's schema declares.
namespace drover {
namespace {

using nlohmann::json;

bool IsScalar(SchemaType type) {
  return type == SchemaType::kString || type == SchemaType::kInteger ||
         type == SchemaType::kNumber || type == SchemaType::kBoolean;
}

bool HoldsReference(const json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find("${") != std::string::npos;
}

// Returns true if TEXT is a number in JSON syntax, a whole number if WHOLE. The texts "+1", "01",
// "1.", "nan" and " 1" are not numbers.
bool IsNumberText(std::string_view text, bool whole) {
  const auto digits = [&text] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    const bool leading_zero = count > 1 && text[0] == '0';
    text.remove_prefix(count);
    return count > 0 && !leading_zero;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  if (!digits()) return false;
  if (whole || text.empty()) return text.empty();
  if (text[0] == '.') {
    text.remove_prefix(1);
    const std::size_t fraction = text.find_first_not_of("0123456789");
    if (text.empty() || fraction == 0) return false;
    text.remove_prefix(std::min(fraction, text.size()));
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the number that TEXT spells. Returns a JSON value of the type `discarded` if TEXT is not
// a number or the number is too large.
json NumberOf(const std::string& text, bool whole) {
  const json none(json::value_t::discarded);
  if (!IsNumberText(text, whole)) return none;
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  const auto read = std::from_chars(text.data(), end, integer);
  if (read.ec == std::errc() && read.ptr == end) return integer;
  if (whole) return none;
  double number = 0;
  const auto real = std::from_chars(text.data(), end, number);
  return real.ec == std::errc() && std::isfinite(number) ? json(number) : none;
}

void NormalizeScalar(SchemaType type, json* value) {
  if (type == SchemaType::kString) {
    if (value->is_boolean() || value->is_number_integer()) *value = value->dump();
  } else if (type == SchemaType::kBoolean && value->is_string()) {
    if (*value == "true") {
      *value = true;
    } else if (*value == "false") {
      *value = false;
    }
  } else if (type == SchemaType::kInteger && value->is_number_float()) {
    const double number = value->get<double>();
    if (std::trunc(number) == number && std::abs(number) < 0x1p63) {
      *value = static_cast<std::int64_t>(number);
    }
  } else if ((type == SchemaType::kInteger || type == SchemaType::kNumber) && value->is_string()) {
    json number = NumberOf(value->get_ref<const std::string&>(), type == SchemaType::kInteger);
    if (!number.is_discarded()) *value = std::move(number);
  }
}

bool IsListOfObjects(const json& value) {
  if (!value.is_array()) return false;
  for (const json& element : value) {
    if (!element.is_object()) return false;
  }
  return true;
}

// Replaces a list of objects by one object. A client makes such a list from one or several blocks.
void Unwrap(const SchemaNode& node, const std::string& pointer, json* value, SchemaFaults* faults) {
  if (!IsListOfObjects(*value)) return;
  if (value->size() == 1) {
    json inner = std::move((*value)[0]);
    *value = std::move(inner);
  } else if (node.is_map()) {
    json merged = json::object();
    for (std::size_t i = 0; i < value->size(); ++i) {
      for (auto& [key, member] : (*value)[i].items()) {
        if (merged.contains(key)) {
          faults->Add(JsonPointer(JsonPointer(pointer, i), key), "the key occurs in two blocks");
        }
        merged[key] = std::move(member);
      }
    }
    *value = std::move(merged);
  }
}

void NormalizeObject(const SchemaNode& node, bool final, const std::string& pointer, json* value,
                     SchemaFaults* faults) {
  for (const auto& [name, property] : node.properties) {
    auto member = value->find(name);
    if (member != value->end() && member->is_null() && property.type != SchemaType::kNull &&
        property.type != SchemaType::kAny) {
      value->erase(member);
      member = value->end();
    }
    if (member == value->end() && property.default_value) {
      (*value)[name] = *property.default_value;
    }
  }
  for (const std::string& name : node.required) {
    if (!value->contains(name)) faults->Add(JsonPointer(pointer, name), "is missing");
  }
  for (auto& [name, member] : value->items()) {
    const std::string here = JsonPointer(pointer, name);
    const auto property = node.properties.find(name);
    if (property != node.properties.end()) {
      NormalizeSchema(property->second, final, here, &member, faults);
    } else if (!node.additional_allowed) {
      AddUnknownProperty(node, name, here, faults);
    } else if (node.additional != nullptr) {
      NormalizeSchema(*node.additional, final, here, &member, faults);
    }
  }
}

}  // namespace

void NormalizeSchema(const SchemaNode& node, bool final, const std::string& pointer, json* value,
                     SchemaFaults* faults) {
  if (!final && IsScalar(node.type) && HoldsReference(*value)) return;
  if (node.type == SchemaType::kObject) Unwrap(node, pointer, value, faults);
  NormalizeScalar(node.type, value);
  CheckSchemaValue(node, *value, pointer, faults);
  if (!HasSchemaType(node.type, *value)) return;
  if (node.type == SchemaType::kInteger &&
      (value->is_number_float() ||
       (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))) {
    faults->Add(pointer, "the number " + value->dump() + " does not fit into 64 bits");
  }
  if (value->is_array() && node.items != nullptr) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      NormalizeSchema(*node.items, final, JsonPointer(pointer, i), &(*value)[i], faults);
    }
  }
  if (node.type == SchemaType::kObject) NormalizeObject(node, final, pointer, value, faults);
}

}  // namespace drover
