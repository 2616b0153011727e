// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Returns TEXT in quotes, so that it is one word of a shell.
std::string ShellWord(std::string_view text);
// Returns TEXT without quotes if every shell reads it as one word, and in quotes otherwise.
std::string ShortShellWord(std::string_view text);

}  // namespace drover
