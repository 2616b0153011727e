// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Valid UTF-8 without control characters.
bool IsPlainText(std::string_view text);
bool IsUtf8(std::string_view text);

// TEXT as it may stand in logs, states and JSON: what is no UTF-8 becomes U+FFFD, control
// characters but tab and line break become '?', and what is longer than LIMIT bytes is cut.
std::string SafeText(std::string_view text, std::size_t limit);

}  // namespace drover
