// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace drover {

// These functions read fields of an agent's answer. A field that is missing or has another type
// counts as empty.

// Returns the field NAME as unchanged text, for requests and comparisons.
std::string RawField(const nlohmann::json& object, const char* name);
// Returns the field NAME as text for printing. Characters that could control a terminal are made
// visible.
std::string TextField(const nlohmann::json& object, const char* name);
std::int64_t NumberField(const nlohmann::json& object, const char* name);
// Returns the number in the field NAME as text for printing.
std::string NumberText(const nlohmann::json& object, const char* name);
bool FlagField(const nlohmann::json& object, const char* name);
// Returns the field NAME if it is an array, and an empty array otherwise.
const nlohmann::json& ListField(const nlohmann::json& object, const char* name);
// Returns the field NAME if it is an object, and an empty object otherwise.
const nlohmann::json& MapField(const nlohmann::json& object, const char* name);

// AsList returns VALUE if it is an array, and AsMap returns VALUE if it is an object. Otherwise the
// result is empty.
const nlohmann::json& AsList(const nlohmann::json& value);
const nlohmann::json& AsMap(const nlohmann::json& value);

// Prints VALUE to standard output, indented and in ASCII. So no text of an agent can control the
// terminal.
void PrintJson(const nlohmann::json& value);
// Prints VALUE to standard output, indented and in UTF-8.
void PrintUtf8Json(const nlohmann::json& value);
// Prints VALUE to standard output as one line in UTF-8, at once.
void PrintJsonLine(const nlohmann::json& value);

}  // namespace drover
