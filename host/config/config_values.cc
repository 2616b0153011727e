// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_values.h"

#include <algorithm>

#include "host/config/address_template.h"

namespace drover {

using nlohmann::json;

const json* ConfigValues::Find(const std::string& pointer) const {
  const json::json_pointer at(pointer);
  return document_->value.contains(at) ? &document_->value.at(at) : nullptr;
}

void ConfigValues::Text(const std::string& pointer, std::string* out) const {
  if (const json* value = Find(pointer)) *out = value->get<std::string>();
}

void ConfigValues::Address(const std::string& pointer, std::string* out) const {
  Text(pointer, out);
  if (!Has(pointer) || !HasAddressTemplate(*out)) return;
  Result<std::string> filled =
      FillAddressTemplate(*out, *addresses_ ? (*addresses_)() : std::vector<InterfaceAddress>());
  if (!filled.ok()) return Mistake(pointer, filled.error().message());
  *out = std::move(*filled);
}

void ConfigValues::Bool(const std::string& pointer, bool* out) const {
  if (const json* value = Find(pointer)) *out = value->get<bool>();
}

void ConfigValues::Number(const std::string& pointer, int* out) const {
  if (const json* value = Find(pointer)) *out = value->get<int>();
}

void ConfigValues::Time(const std::string& pointer, Duration* out) const {
  if (const json* value = Find(pointer)) *out = *ParseDuration(value->get<std::string>());
}

void ConfigValues::Texts(const std::string& pointer, std::vector<std::string>* out) const {
  if (const json* value = Find(pointer)) *out = value->get<std::vector<std::string>>();
}

void ConfigValues::Map(const std::string& pointer, StringMap* out) const {
  if (const json* value = Find(pointer)) *out = value->get<StringMap>();
}

void ConfigValues::Mistake(const std::string& pointer, const std::string& what) const {
  AddFinding({document_->Place(pointer), pointer, what}, mistakes_);
}

bool ConfigValues::IsMistaken(const std::string& pointer) const {
  return std::ranges::any_of(
      *mistakes_, [&pointer](const ConfigFinding& found) { return found.pointer == pointer; });
}

void ConfigValues::Exclude(const std::string& pointer, const std::string& other) const {
  if (Has(pointer) && Has(other)) Mistake(pointer, "says the same as " + other + ": keep one");
}

}  // namespace drover
