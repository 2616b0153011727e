// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/json_fields.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"

namespace drover {
namespace {

using nlohmann::json;

const json& Field(const json& object, const char* name) {
  static const json kMissing;
  if (!object.is_object()) return kMissing;
  const auto found = object.find(name);
  return found == object.end() ? kMissing : *found;
}

}  // namespace

std::string RawField(const json& object, const char* name) {
  const json& field = Field(object, name);
  return field.is_string() ? field.get<std::string>() : "";
}

std::string TextField(const json& object, const char* name) {
  return Printable(RawField(object, name));
}

std::int64_t NumberField(const json& object, const char* name) {
  const json& field = Field(object, name);
  return field.is_number_integer() ? field.get<std::int64_t>() : 0;
}

std::string NumberText(const json& object, const char* name) {
  return std::to_string(NumberField(object, name));
}

bool FlagField(const json& object, const char* name) {
  const json& field = Field(object, name);
  return field.is_boolean() && field.get<bool>();
}

const json& ListField(const json& object, const char* name) { return AsList(Field(object, name)); }

const json& MapField(const json& object, const char* name) { return AsMap(Field(object, name)); }

const json& AsMap(const json& value) {
  static const json kEmpty = json::object();
  return value.is_object() ? value : kEmpty;
}

const json& AsList(const json& value) {
  static const json kEmpty = json::array();
  return value.is_array() ? value : kEmpty;
}

void PrintJson(const json& value) {
  std::printf("%s\n", value.dump(2, ' ', true, json::error_handler_t::replace).c_str());
}

void PrintUtf8Json(const json& value) {
  std::printf("%s\n", value.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

void PrintJsonLine(const json& value) {
  std::printf("%s\n", value.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

}  // namespace drover
