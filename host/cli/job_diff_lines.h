// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/cli/terminal.h"

namespace drover {

struct DiffLine {
  Terminal::Colour colour = Terminal::Colour::kGrey;
  std::string text;  // printable
};

// What an agent tells that a job would change, for people: one line per field, with "+", "-", "~"
// or a blank before it, indented below what it is a part of.
std::vector<DiffLine> JobDiffLines(const nlohmann::json& diff);

}  // namespace drover
