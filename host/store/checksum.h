// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/store/record.h"

namespace drover {

// Returns the CRC-32 of a record and its key. It detects every single flipped bit, and every
// damaged stretch of up to 32 bits. It misses other damage in one of four billion cases.
std::uint32_t ChecksumOf(const Record& record);

}  // namespace drover
