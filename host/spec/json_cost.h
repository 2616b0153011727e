// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace drover {

// Returns about how many bytes of memory the JSON of TEXT takes after parsing. A few bytes of
// text, such as "{},", become a hundred bytes of memory. For text that is not JSON, the result is
// a similar estimate. [any thread]
std::size_t JsonCost(std::string_view text);

}  // namespace drover
