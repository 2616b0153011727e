// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace drover {

// Returns the length in bytes of an invisible character at the start of TEXT that changes how the
// text around it is read. Such a character changes the direction of the following text, ends a
// line, joins words or controls a terminal. Returns 0 for other characters and for text that is
// not UTF-8. U+200C and U+200D do not count, because some scripts need them between letters.
std::size_t UnseenLength(std::string_view text);

// Returns true if TEXT contains a character for which UnseenLength does not return 0.
bool HasUnseen(std::string_view text);

}  // namespace drover
