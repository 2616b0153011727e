// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace drover {

// Fields of an agent's answer. A field that is missing or has another type counts as empty.

// For requests and comparisons.
std::string RawField(const nlohmann::json& object, const char* name);
// To be printed: characters that would steer a terminal are made visible.
std::string TextField(const nlohmann::json& object, const char* name);
std::int64_t NumberField(const nlohmann::json& object, const char* name);
// A number to be printed.
std::string NumberText(const nlohmann::json& object, const char* name);
bool FlagField(const nlohmann::json& object, const char* name);
// An array.
const nlohmann::json& ListField(const nlohmann::json& object, const char* name);
// An object.
const nlohmann::json& MapField(const nlohmann::json& object, const char* name);

// VALUE as a list or as an object; empty when it has another type.
const nlohmann::json& AsList(const nlohmann::json& value);
const nlohmann::json& AsMap(const nlohmann::json& value);

// Prints VALUE to standard output, indented, in ASCII: what an agent has answered cannot steer a
// terminal.
void PrintJson(const nlohmann::json& value);
// Prints VALUE to standard output, indented, in UTF-8.
void PrintUtf8Json(const nlohmann::json& value);

}  // namespace drover
