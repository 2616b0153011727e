// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// Files below a directory that others may fill with links. Every path is relative, has no "..", and
// is opened without following links. The functions block. [any thread]
namespace drover {

// The most directories above a file of an artifact, and the longest path.
inline constexpr std::size_t kMostPathParts = 128;
inline constexpr std::size_t kLongestPath = 4000;

// Opens PATH below DIR, as openat2 does with FLAGS, and beneath it.
Result<UniqueFd> OpenStaged(int dir, const std::string& path, int flags, mode_t mode = 0);

// Returns the path without empty parts and ".". Returns an error, which shows the path, if it is
// absolute, has "..", or is too long or too deep. The result is empty for the directory itself.
Result<std::string> StagedPath(std::string_view path);

// Makes the directories of PATH below DIR that are missing, except its last part, or with it if
// WHOLE. Returns the last of these directories, open for its entries. NEW_DIRECTORY, if not empty,
// is called for each that is made, before.
Result<UniqueFd> MakeStagedParents(int dir, const std::string& path, bool whole, mode_t mode,
                                   const std::function<Status()>& new_directory = nullptr);

// The last part of a path of StagedPath.
std::string StagedName(const std::string& path);

// Whether a symbolic link at PATH, a path of StagedPath, with TARGET stays below the top, whatever
// other links of the same kind are there. So ".." may stand only at its beginning.
bool LinkStaysBelow(const std::string& path, std::string_view target);

}  // namespace drover
