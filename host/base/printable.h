// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Returns TEXT in a form for a terminal, so that a task cannot control the terminal. Escapes such
// as "\x1b" replace all control characters except tab, and all bytes that are not UTF-8. Escapes
// also replace invisible characters that change how the text around them is read.
std::string Printable(std::string_view text);
// Like Printable, for a text of several lines.
std::string PrintableLines(std::string_view text);

}  // namespace drover
