// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/driver/driver.h"

namespace drover {

// Adds MORE to SUM. A value counts as measured if SUM or MORE has measured it.
void AddUsage(ResourceUsage* sum, const ResourceUsage& more);

}  // namespace drover
