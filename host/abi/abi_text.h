// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Returns true if TEXT is valid UTF-8 without control characters.
bool IsPlainText(std::string_view text);
bool IsUtf8(std::string_view text);

// Makes TEXT safe for logs, states and JSON. Each byte that is not valid UTF-8 becomes U+FFFD.
// Control characters except tab and line break become '?'. The result has at most LIMIT bytes.
std::string SafeText(std::string_view text, std::size_t limit);

}  // namespace drover
