// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace drover {

// The length in bytes of the character at the start of TEXT when nobody sees it, but it changes how
// the text around it is read: it turns the direction of what follows, ends a line, joins words or
// steers a terminal. 0: it is another one, or no UTF-8. Those that scripts need between their
// letters, U+200C and U+200D, are no such characters.
std::size_t UnseenLength(std::string_view text);

// Whether there is one anywhere in TEXT.
bool HasUnseen(std::string_view text);

}  // namespace drover
