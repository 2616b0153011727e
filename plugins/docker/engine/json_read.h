// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "drover/types.hpp"

// Reads the JSON of engines, which may be anything. No function throws for a value of another type:
// it returns the fallback.
namespace drover_docker {

// Parses TEXT. Throws Error(kUnavailable), which names ACTION, if it is no JSON or is nested deeper
// than 100.
nlohmann::json ParseJson(std::string_view text, const std::string& action);

// The path is a list of keys, such as {"State", "Status"}. A missing member is a null value.
using JsonPath = std::initializer_list<std::string_view>;
const nlohmann::json& At(const nlohmann::json& value, JsonPath path);
std::string TextAt(const nlohmann::json& value, JsonPath path, std::string fallback = "");
std::int64_t IntAt(const nlohmann::json& value, JsonPath path, std::int64_t fallback = 0);
// Returns a number that is not negative; a double is cut.
std::uint64_t CountAt(const nlohmann::json& value, JsonPath path, std::uint64_t fallback = 0);
bool BoolAt(const nlohmann::json& value, JsonPath path, bool fallback = false);
drover::StringMap TextsAt(const nlohmann::json& value, JsonPath path);

// Returns a time of the engine, such as 2024-05-01T10:00:00.123456789Z, in ns since 1970. Returns 0
// for another text and for the zero time of the year 1.
std::int64_t ParseTime(std::string_view text);

}  // namespace drover_docker
