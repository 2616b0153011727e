// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"

namespace drover {

// Returns the entries of DIRECTORY, a root file system on the host, as TaskRootOptions::host_paths:
// for each entry its path on the host and its path in the root of the task. Leaves out the entries
// that the isolation makes itself, and everything but directories and files. A link is followed as
// if DIRECTORY was the root, so it never leads to another part of the host. DIRECTORY must not
// change while a task starts from it. Blocks as long as the file system does.
Result<std::vector<std::pair<std::string, std::string>>> RootPathsOf(const std::string& directory);

}  // namespace drover
