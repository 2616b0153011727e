// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// Returns the one path below the directory DIR that matches PATTERN, a path whose parts may have
// the wildcards of a shell. Follows no links. Returns Code::kInvalidArgument if there is none, or
// more than one. Blocks.
Result<std::string> FindSubdir(int dir, const std::string& pattern);

}  // namespace drover
