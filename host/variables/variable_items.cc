// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/variables/variable_items.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// The kind of record for which items are sealed.
constexpr char kSealedAs[] = "variable";

Error InvalidItems(std::string why) { return Error(Code::kInvalidArgument, std::move(why)); }

}  // namespace

Status CheckItems(const json& items) {
  if (items.is_null() || (items.is_object() && items.empty())) {
    return InvalidItems(
        "the variable has no Items: name at least one, as in {\"Items\": {\"key\": "
        "\"value\"}}");
  }
  if (!items.is_object()) return InvalidItems("Items: must be an object of texts");
  std::size_t bytes = 0;
  for (const auto& [name, value] : items.items()) {
    if (name.empty()) return InvalidItems("Items: an item has an empty name");
    const auto* const text = value.get_ptr<const std::string*>();
    if (text == nullptr) return InvalidItems("Items: " + Quoted(name) + " must be a text");
    bytes += name.size() + text->size();
  }
  if (bytes <= kMostItemBytes) return {};
  return InvalidItems("the items have " + std::to_string(bytes) +
                      " bytes, a variable has at most " + std::to_string(kMostItemBytes) +
                      ": use several variables");
}

Result<std::string> SealItems(const SealKey& key, const std::string& name_space,
                              const std::string& path, std::string_view items) {
  return key.Seal(kSealedAs, VariableId(name_space, path), items);
}

Result<SecretBytes> OpenItems(const SealKey& key, const VariableRecord& record) {
  Result<SecretBytes> items =
      key.Open(kSealedAs, VariableId(record.name_space, record.path), record.sealed_items);
  if (items.ok()) return items;
  return items.error().WithContext("the items of the variable " + Quoted(record.path) +
                                   " cannot be opened");
}

void WipeJson(json* value) {
  if (auto* const text = value->get_ptr<std::string*>()) {
    WipeText(text);
  } else if (value->is_structured()) {
    for (json& below : *value) WipeJson(&below);
  }
}

}  // namespace drover
