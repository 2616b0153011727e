// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the directory of the shims' sockets and exit records, and makes it if it is missing. It
// must be ours alone, since a writer could pose as a shim. PATH empty: /run/drover for root, else
// $XDG_RUNTIME_DIR/drover.
Result<UniqueFd> OpenRunDirectory(std::string path);

// The path of that directory: PATH, or the default if it is empty.
Result<std::string> RunDirectoryPath(std::string path);

// Removes the files that the shim of an ended run left there, in a durable step. CLEAN: only the
// exit record is left, since the shim itself reported the end.
Status ForgetEnd(int run_directory, const RunId& run, bool clean);

}  // namespace drover
