// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// TEXT for a terminal. Control characters, invisible characters that change how the text around
// them is read, and bytes that are not UTF-8 appear as "\x1b", so a task cannot steer the
// terminal.
std::string Printable(std::string_view text);
// The same for a text of several lines.
std::string PrintableLines(std::string_view text);

}  // namespace drover
