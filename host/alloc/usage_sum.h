// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/driver/driver.h"

namespace drover {

// Adds MORE to SUM. A value of the result is marked as measured if it was measured in SUM or in
// MORE.
void AddUsage(ResourceUsage* sum, const ResourceUsage& more);

}  // namespace drover
