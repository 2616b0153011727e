// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drover/json.hpp"
#include "drover/types.hpp"

// Reads texts of configurations. All functions throw drover::Error(kInvalidArgument), with a
// message that names WHERE, which is the option.
namespace drover_docker {

using drover::Duration;
using drover::StringMap;

[[noreturn]] void Invalid(const std::string& message);
[[noreturn]] void Denied(const std::string& message);

// Returns TEXT in quotes, cut to a length that is fit for a message.
std::string Quoted(std::string_view text);

// Reads a duration such as "1m30s". An empty text is FALLBACK. The largest duration is a year.
Duration ReadDuration(const std::string& where, const std::string& text, Duration fallback);

// Refuses a text with NUL, with a line break or with another control character.
const std::string& Plain(const std::string& where, const std::string& text);

// Returns the texts of the object MEMBER of CONFIG; empty if it is absent.
StringMap ReadMap(const drover::Json& config, std::string_view member);
// Returns the object MEMBER of CONFIG, or an empty object if it is absent.
const drover::Json& ReadObject(const drover::Json& config, std::string_view member);

// Returns the parts of TEXT between the separators. There is always at least one part.
std::vector<std::string> Split(std::string_view text, char separator);
std::string Lower(std::string_view text);
bool HasPrefix(std::string_view text, std::string_view prefix);

// Reads a whole number from 0 to LARGEST.
std::int64_t ReadNumber(const std::string& where, std::string_view text, std::int64_t largest);

// True if TEXT matches PATTERN, in which "*" stands for any text.
bool Matches(std::string_view pattern, std::string_view text);

// True if TEXT is an IPv4 or IPv6 address.
bool IsAddress(const std::string& text);

}  // namespace drover_docker
