// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Makes a file in memory whose contents may be executed. NAME appears in lists of mappings. After
// SealMemoryFile, nobody can change the contents: neither a process that receives the descriptor
// nor a process that can write the file from which the contents were copied.
Result<UniqueFd> MakeMemoryFile(const char* name);
Status SealMemoryFile(const UniqueFd& file);

}  // namespace drover
