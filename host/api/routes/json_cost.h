// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace drover {

// About how many bytes the JSON of TEXT takes when it is read into a tree: a few bytes of text,
// "{},", become a hundred. Of text that is no JSON, some number of the same kind. [any thread]
std::size_t JsonCost(std::string_view text);

}  // namespace drover
