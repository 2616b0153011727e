// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/view/terminal.h"

namespace drover {

struct DiffLine {
  Terminal::Colour colour = Terminal::Colour::kGrey;
  std::string text;  // has no control characters
};

// Returns the changes in DIFF, which is an agent's answer, as lines for people. Each field has a
// line that begins with "+", "-", "~" or a blank. The line is indented below the object that the
// field belongs to.
std::vector<DiffLine> JobDiffLines(const nlohmann::json& diff);
// Prints these lines to TERMINAL in their colours.
void PrintJobDiff(Terminal* terminal, const nlohmann::json& diff);

}  // namespace drover
