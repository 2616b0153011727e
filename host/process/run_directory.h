// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the run directory, which has the shims' sockets and exit records, and makes it if it is
// missing. The directory must belong to the agent's user and have mode 0700, because another user
// who can write in it could imitate a shim. If PATH is empty, the directory is /run/drover for root
// and $XDG_RUNTIME_DIR/drover for other users.
Result<UniqueFd> OpenRunDirectory(std::string path);

// Returns the path of the run directory: PATH, or the default if PATH is empty.
Result<std::string> RunDirectoryPath(std::string path);

// Removes the files of an ended run from the run directory, in a durable step. If CLEAN is true,
// the shim itself reported the end, so only the exit record is left to remove.
Status ForgetEnd(int run_directory, const RunId& run, bool clean);

}  // namespace drover
