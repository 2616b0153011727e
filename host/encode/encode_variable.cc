// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode.h"
#include "host/spec/strict_json.h"

namespace drover {

using nlohmann::json;

json EncodeVariableMetadata(const VariableRecord& variable) {
  return {{"Namespace", variable.name_space},     {"Path", variable.path},
          {"CreateIndex", variable.create_index}, {"ModifyIndex", variable.modify_index},
          {"CreateTime", variable.create_time},   {"ModifyTime", variable.modify_time}};
}

std::string VariableWithItems(const VariableRecord& variable, std::string_view items) {
  constexpr std::string_view kItems = ",\"Items\":";
  const std::string metadata = JsonText(EncodeVariableMetadata(variable));
  std::string text;
  text.reserve(metadata.size() + kItems.size() + items.size());
  text.append(metadata, 0, metadata.size() - 1);  // without the brace at its end
  text.append(kItems).append(items).append("}");
  return text;
}

}  // namespace drover
