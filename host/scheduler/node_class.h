// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/state/records.h"

namespace drover {

// Returns "v1:" and a hash. The hash is equal for all nodes on which the same jobs can run. It
// covers the values that constraints use, also those of devices, except attributes and meta whose
// names begin with "unique.".
std::string ComputedClass(const NodeRecord& node);

}  // namespace drover
