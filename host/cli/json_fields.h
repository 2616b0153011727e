// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace drover {

// Fields of what an agent has answered. Nothing of it need be there or of the type that it should
// be: such a field is empty.

// For requests and comparisons.
std::string RawField(const nlohmann::json& object, const char* name);
// To be printed: whatever would steer a terminal is made visible.
std::string TextField(const nlohmann::json& object, const char* name);
std::int64_t NumberField(const nlohmann::json& object, const char* name);
bool FlagField(const nlohmann::json& object, const char* name);
// An array.
const nlohmann::json& ListField(const nlohmann::json& object, const char* name);
// An object.
const nlohmann::json& MapField(const nlohmann::json& object, const char* name);

// What should be a list, or an object; empty when it is none.
const nlohmann::json& AsList(const nlohmann::json& value);
const nlohmann::json& AsMap(const nlohmann::json& value);

// Prints VALUE to standard output, indented.
void PrintJson(const nlohmann::json& value);

}  // namespace drover
