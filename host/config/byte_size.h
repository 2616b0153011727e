// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover {

// Reads a number of bytes such as "100GB", "1.5 MiB" or "4096". The units are those of powers of
// 1000 (kB, MB, GB, TB) and of 1024 (KiB, MiB, GiB, TiB), in either case; "100G" is "100GB".
// Returns nothing for any other text, and for more than 2^62 bytes.
std::optional<std::uint64_t> ParseByteSize(std::string_view text);

}  // namespace drover
