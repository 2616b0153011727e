// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the directory of the shims' sockets and exit records, and makes it if it is missing. It
// must be ours alone: who can write there can pretend to be a shim. Empty: /run/drover for root,
// else $XDG_RUNTIME_DIR/drover.
Result<UniqueFd> OpenRunDirectory(std::string path);

// Where that is: PATH, if it is not empty.
Result<std::string> RunDirectoryPath(std::string path);

}  // namespace drover
