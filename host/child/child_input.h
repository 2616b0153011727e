// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Returns a file in memory that holds TEXT and is read from its start. As the standard input of a
// child it needs no writer, unlike a pipe. [any thread]
Result<UniqueFd> MakeChildInput(const std::string& text);

}  // namespace drover
