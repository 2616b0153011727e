// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/base/result.h"
#include "host/store/record.h"

namespace drover {

using SalvagedRecords = std::map<RecordKey, std::string>;

// What can still be read of the damaged file PATH, which is closed and is left as it is. Needs no
// room on its disk where there is some in memory.
Result<SalvagedRecords> SalvageRecords(const std::string& path);

// Makes the damaged file anew from those records, and renames the damaged one. What it has done, in
// a sentence. After an error, such as that of a full disk, all is as it was.
Result<std::string> ReplaceDamaged(const std::string& path, const SalvagedRecords& records);

// Finishes what a program has begun that was killed meanwhile. Before the file is opened.
Status FinishRebuild(const std::string& path);

}  // namespace drover
