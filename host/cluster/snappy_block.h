// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace drover {

// Returns the text that BLOCK holds in the block format of Snappy, in which servers keep the
// payloads of dispatched jobs. Returns nothing if BLOCK is damaged or the text has more than MOST
// bytes. [any thread]
std::optional<std::string> ReadSnappyBlock(std::string_view block, std::size_t most);

}  // namespace drover
