// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// Limits for JSON from outside. Text beyond a limit is refused before it costs memory or stack.
struct JsonLimits {
  std::size_t bytes = 8u << 20;
  std::size_t depth = 64;  // the maximum nesting of objects and lists
  bool nul = false;        // texts may hold U+0000, since they are data
};

// Reads one JSON value from untrusted text. It refuses text that is not JSON or not UTF-8, a key
// that occurs twice in one object, U+0000 in a text, a whole number beyond 64 bits, and text
// beyond LIMITS. The error message contains the place. Never throws. [any thread]
Result<nlohmann::json> ParseStrictJson(std::string_view text, JsonLimits limits = {});

// Returns the JSON of VALUE in one line. Bytes that are not UTF-8, as in texts of tasks and
// drivers, are replaced.
std::string JsonText(const nlohmann::json& value);

// Returns "POINTER/KEY" with the escapes of RFC 6901.
std::string JsonPointer(std::string_view pointer, std::string_view key);
std::string JsonPointer(std::string_view pointer, std::size_t index);

// Returns TEXT in double quotes for a message. Control characters are escaped, and long texts are
// cut.
std::string Quoted(std::string_view text);

}  // namespace drover
