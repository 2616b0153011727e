// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/landlock.h>

#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// All rights to files that the first version of Landlock knows.
inline constexpr std::uint64_t kFirstFileRights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
// What a process needs to read files and directories.
inline constexpr std::uint64_t kReadFiles =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

// Returns the version of Landlock that this kernel has; 0 if it has none.
int FileRulesVersion();

// Returns rules of Landlock that refuse HANDLED, the rights to all files. Returns no descriptor if
// the kernel lacks Landlock.
Result<UniqueFd> MakeFileRules(std::uint64_t handled);

// Allows RIGHTS for the file PLACE, and for all below if it is a directory.
Status AllowFiles(const UniqueFd& rules, int place, std::uint64_t rights);

}  // namespace drover
