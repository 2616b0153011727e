// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/store/salvage.h"

namespace drover {

// Makes a new file from RECORDS, and renames the damaged one. Returns a sentence about its work.
// After an error, such as a full disk, nothing has changed, or the new file is complete and has no
// name yet.
Result<std::string> ReplaceDamaged(const std::string& path, const SalvagedRecords& records);

// Finishes the rebuild of a program that was killed during it. Call it before the file is opened.
Status FinishRebuild(const std::string& path);

}  // namespace drover
