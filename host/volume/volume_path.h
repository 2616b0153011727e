// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// The source of a volume as it was found.
struct VolumePlace {
  UniqueFd place;    // of the directory, file or socket; for looking only (O_PATH)
  std::string real;  // its path without symbolic links
};

// Opens PATH, the absolute path of a volume, part by part. Follows a symbolic link only where no
// task can have made it: its directory belongs to root or to the agent's user, nobody else may
// write there, and it is in none of the directories WRITABLE, which tasks may change. So a task
// that may write to a volume cannot lead another volume, below it, to another place. The result
// must be a directory, a regular file or a socket. Errors name the part of PATH, and say what to
// do. Blocks. [any thread]
Result<VolumePlace> OpenVolumePath(const std::string& path,
                                   const std::vector<std::string>& writable);

}  // namespace drover
