// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/base/result.h"

namespace drover {

// Writes all of BYTES to FILE, which must be blocking. If there is an error, a part may have been
// written. Blocks. [any thread]
Status WriteWhole(int file, std::string_view bytes);

}  // namespace drover
