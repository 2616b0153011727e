// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the directory of the shims' sockets and exit records, and makes it if it is missing. It
// must be ours alone: who can write there can pretend to be a shim. Empty: /run/drover for root,
// else $XDG_RUNTIME_DIR/drover.
Result<UniqueFd> OpenRunDirectory(std::string path);

// Where that is: PATH, if it is not empty.
Result<std::string> RunDirectoryPath(std::string path);

// Removes what the shim of a run that has ended left there. CLEAN: only the exit record, since the
// shim has told the end itself. A step that outlives the agent.
Status ForgetEnd(int run_directory, const RunId& run, bool clean);

}  // namespace drover
