// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// A variable as the agent keeps it. Its items are sealed in memory, too: they are open only while a
// request with them is answered. The path is no secret.
struct VariableRecord {
  std::string name_space;
  std::string path;
  std::string sealed_items;  // of SealItems
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  bool operator==(const VariableRecord&) const = default;
};

// Returns the name of a variable among all variables. A namespace has no slash, so no two have the
// same.
std::string VariableId(const std::string& name_space, const std::string& path);

// Returns RECORD as JSON, for the store.
std::string VariableText(const VariableRecord& record);
// Reads a record that VariableText wrote. The error says what is wrong with it. It does not open
// the items.
Result<VariableRecord> ReadVariable(const std::string& text);

}  // namespace drover
