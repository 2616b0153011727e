// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/artifact/artifact_source.h"
#include "host/base/result.h"

namespace drover {

// Returns the checksum of TYPE of an open file in hexadecimal digits. STOP: see IsStopped. Blocks.
Result<std::string> ChecksumOfFile(int file, const std::string& type, int stop = -1);

// Checks that an open file has CHECKSUM. STOP: see IsStopped. Blocks.
Status CheckFileChecksum(int file, const ArtifactChecksum& checksum, int stop = -1);

// Finds the checksum of the file at PATH, the path of a URL, in TEXT, the content of a file of
// checksums at SUMS_PATH. The forms are those of sha256sum, of its option --tag, and a checksum
// alone. Returns nothing if there is none.
std::optional<ArtifactChecksum> FindChecksum(std::string_view text, std::string_view path,
                                             std::string_view sums_path);

}  // namespace drover
