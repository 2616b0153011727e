// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/store/salvage.h"

namespace drover {

// Makes a new file PATH from RECORDS, and renames the damaged file. Returns a sentence that
// describes the result. If the function fails, as on a full disk, either nothing has changed, or
// the new file is complete but does not have the name PATH yet.
Result<std::string> ReplaceDamaged(const std::string& path, const SalvagedRecords& records);

// Finishes a rebuild during which the process was killed. Call it before the file PATH is opened.
Status FinishRebuild(const std::string& path);

}  // namespace drover
