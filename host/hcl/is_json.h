// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace drover {

// Returns whether TEXT, which is JSON or HCL, is JSON. It looks at the first character that is no
// white space: no document in HCL begins with a brace or a bracket.
bool IsJsonText(std::string_view text);

}  // namespace drover
