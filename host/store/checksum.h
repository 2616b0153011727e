// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/store/record.h"

namespace drover {

// The CRC-32 of a record with its key. It detects each flipped bit, and each damaged stretch of up
// to 32 bits. It misses other damage in one of four thousand million cases.
std::uint32_t ChecksumOf(const Record& record);

}  // namespace drover
