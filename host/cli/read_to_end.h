// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/base/result.h"

namespace drover {

// Reads FD to its end, also if reads from FD do not block. Stops when more than MOST bytes have
// come, so a longer text means that there is too much. NAME is what FD is, for the error.
Result<std::string> ReadToEnd(int fd, const std::string& name, std::size_t most);

}  // namespace drover
