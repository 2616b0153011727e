// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/store/salvage.h"

namespace drover {

// Makes the damaged file anew from those records, and renames the damaged one. What it has done, in
// a sentence. After an error, such as that of a full disk, all is as it was,
// or the new file is complete and has no name yet.
Result<std::string> ReplaceDamaged(const std::string& path, const SalvagedRecords& records);

// Finishes what a program has begun that was killed meanwhile. Before the file is opened.
Status FinishRebuild(const std::string& path);

}  // namespace drover
