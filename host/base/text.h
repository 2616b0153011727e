// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// The value of a hexadecimal digit in either case; -1 for anything else.
int HexDigit(char c);

// TEXT without the spaces and tabs at its ends.
std::string_view Trim(std::string_view text);

// The hexadecimal digits of a UUID or of its beginning: requests may omit the hyphens of ids.
std::string WithoutHyphens(std::string_view id);

}  // namespace drover
