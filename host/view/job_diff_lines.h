// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/view/terminal.h"

namespace drover {

struct DiffLine {
  Terminal::Colour colour = Terminal::Colour::kGrey;
  std::string text;  // printable
};

// The changes in DIFF, an agent's answer, for people. Each field has a line, with "+", "-", "~" or
// a blank before it, indented below the object that it belongs to.
std::vector<DiffLine> JobDiffLines(const nlohmann::json& diff);

}  // namespace drover
