// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// A file in memory whose content may be executed and, once it is sealed, is never changed again by
// anybody: neither by whoever can write the file that it was copied from nor by those that it is
// passed to. NAME is for lists of mappings.
Result<UniqueFd> MakeMemoryFile(const char* name);
Status SealMemoryFile(const UniqueFd& file);

}  // namespace drover
