// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "host/base/result.h"

namespace drover {

// Returns how many bytes of the disk the directory of the allocation ALLOC_ID below BASE takes.
// Follows no link and leaves out what is mounted in it. A file with several names counts once. Ends
// early with what it has counted when that is more than ENOUGH, and when GIVE_UP becomes true. The
// error is kResourceExhausted if the directories are nested too deeply to be counted. Blocks. [any
// thread]
Result<std::int64_t> DiskUsage(const std::string& base, const std::string& alloc_id,
                               std::int64_t enough, const std::atomic<bool>& give_up);

}  // namespace drover
