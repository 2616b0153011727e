// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover {

// Returns the text of a file of the kernel (procfs, cgroupfs) or of the run directory, which is on
// a tmpfs. The file must not be on a disk. Returns nothing if the file cannot be read; errno has
// the reason. Stops reading when the text has LIMIT bytes or more.
std::optional<std::string> ReadSmallFile(int directory, const char* path,
                                         std::size_t limit = 1u << 20);

// Writes TEXT to a file of the kernel or of the run directory with one write call. Returns 0 or an
// errno.
int WriteSmallFile(int directory, const char* path, std::string_view text);

// Returns the number after KEY and a space at the start of a line of TEXT, if there is such a line.
std::optional<std::int64_t> FieldOf(const std::string& text, const std::string& key);

}  // namespace drover
