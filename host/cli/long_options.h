// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace drover {

// Returns the program's ARGUMENTS with two dashes before long options, because Nomad also accepts
// one dash. For example, "-json" becomes "--json". Nomad also accepts "=" after an option of one
// letter, and an empty value after "=". So "-t=x" becomes "-tx", and "-namespace=" becomes
// "--namespace" and an empty argument. Arguments after "--" do not change. In `alloc exec`, this
// function inserts "--" after the id, so the command after the id does not change either.
std::vector<std::string> WithTwoDashes(std::vector<std::string> arguments);

}  // namespace drover
