// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_capabilities.h"
#include "host/base/result.h"
#include "host/driver/driver_capabilities.h"

namespace drover {

// Copies and checks what a driver says that it can do, which is not trusted. Returns an error that
// names the first mistake. Any thread.
Result<DriverCapabilities> ReadCapabilities(const drover_capabilities* from);

}  // namespace drover
