// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace drover {

// Returns whether NAME is the name of a signal of this machine, such as "SIGTERM".
bool IsSignalName(std::string_view name);

}  // namespace drover
