// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// A file in memory whose contents may be executed. Once it is sealed, nobody can change it: neither
// those who can write the file it was copied from nor those who receive it. NAME appears in lists
// of mappings.
Result<UniqueFd> MakeMemoryFile(const char* name);
Status SealMemoryFile(const UniqueFd& file);

}  // namespace drover
