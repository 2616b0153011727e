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
// Returns TEXT, cut to WIDTH characters. An ellipsis marks the cut.
std::string Cut(const std::string& text, std::size_t width);

}  // namespace drover
