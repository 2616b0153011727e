// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Returns true if TEXT is valid UTF-8 on one line without control characters, also those of C1 and
// those that reorder the text around them (U+202A to U+202E, U+2066 to U+2069).
bool IsPlainText(std::string_view text);
bool IsUtf8(std::string_view text);

// Makes TEXT safe for logs, states and JSON. Each byte that is not valid UTF-8 becomes U+FFFD.
// Control characters except tab and line break become '?'. The result has at most LIMIT bytes.
std::string SafeText(std::string_view text, std::size_t limit);

// Makes TEXT safe as a part of one line of a log: like SafeText without a limit, but a tab or line
// break becomes a space, and each other character that breaks a line or changes how the line looks
// becomes '?'.
std::string OneLine(std::string_view text);

}  // namespace drover
