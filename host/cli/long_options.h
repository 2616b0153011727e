// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace drover {

// ARGUMENTS of the program with two dashes before long options, where Nomad's spelling has one:
// "-json" becomes "--json". Arguments behind "--" stay as they are, and so does the command that
// follows the id of `alloc exec`, before which "--" is inserted.
std::vector<std::string> WithTwoDashes(std::vector<std::string> arguments);

}  // namespace drover
