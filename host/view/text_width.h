// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover {

// Returns how many characters TEXT has, which is in UTF-8.
std::size_t Characters(std::string_view text);
// Returns the first COUNT characters of TEXT, or all of them if it has fewer.
std::string FirstCharacters(const std::string& text, std::size_t count);
// Returns how many columns of a terminal TEXT takes, or more. Wide characters, such as those of
// Chinese, take two. TEXT must be printable and have no tabs.
std::size_t Columns(std::string_view text);
// Returns as much of TEXT as fits COUNT columns.
std::string FirstColumns(const std::string& text, std::size_t count);
// Returns TEXT, cut to WIDTH characters. An ellipsis marks the cut.
std::string Cut(const std::string& text, std::size_t width);

}  // namespace drover
