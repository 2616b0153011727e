// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover {

// Reads the text of a file of the kernel (procfs, cgroupfs) or of the run directory, a tmpfs; never
// of a disk. Nothing if it cannot be read; errno says why. Stops once it has LIMIT bytes.
std::optional<std::string> ReadSmallFile(int directory, const char* path,
                                         std::size_t limit = 1u << 20);

// Writes TEXT to such a file in one call. Returns 0 or an errno.
int WriteSmallFile(int directory, const char* path, std::string_view text);

// The number after KEY and a space at the start of a line of TEXT.
std::optional<std::int64_t> FieldOf(const std::string& text, const std::string& key);

}  // namespace drover
