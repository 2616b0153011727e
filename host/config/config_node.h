// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

struct ConfigEntry;

// A value of a configuration file as it is written, in HCL or JSON, with its line.
struct ConfigNode {
  enum class Kind { kValue, kList, kObject };
  Kind kind = Kind::kObject;
  int line = 0;
  nlohmann::json value;              // kValue: a text, a number, a boolean or null
  std::string written;               // of a number in HCL: "007" is another text than "7"
  std::vector<ConfigNode> list;      // kList
  std::vector<ConfigEntry> entries;  // kObject; a key may be there several times
};

// A key with its value. A block of HCL has its labels as further keys.
struct ConfigEntry {
  std::vector<std::string> keys;
  int line = 0;
  ConfigNode node;
};

// Whether TEXT is JSON, perhaps with comments. Any other configuration is HCL.
bool IsJsonConfig(std::string_view text);

// Reads JSON with comments (// and /* */). Objects and lists may be nested 64 deep.
Result<ConfigNode> ReadJsonConfig(std::string_view text);

// Reads HCL of its first version by the program drover-hcl. FILE is for messages.
Result<ConfigNode> ReadHclConfig(const std::string& file, const std::string& text);

}  // namespace drover
