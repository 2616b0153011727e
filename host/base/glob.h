// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace drover {

// Returns whether PATTERN has a "*", which matches any characters, also none and also "/".
bool IsGlob(std::string_view pattern);

// Returns whether PATTERN matches the whole of TEXT. The time is at most proportional to the
// product of their sizes, and no text makes it recursive.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// Returns how many characters of PATTERN are no "*". Of the patterns that match a text, the one
// with the most of them is the closest.
std::size_t LiteralCount(std::string_view pattern);

}  // namespace drover
