// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace drover {

// Returns the program's ARGUMENTS with two dashes before long options. Nomad's spelling has one
// dash: "-json" becomes "--json". Arguments after "--" do not change. The command after the id in
// `alloc exec` does not change either: this function inserts "--" before it.
std::vector<std::string> WithTwoDashes(std::vector<std::string> arguments);

}  // namespace drover
