// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/scheduler/records.h"

namespace drover {

// "v1:" and a hash, which is the same for all nodes on which the same jobs can run. It covers the
// values that constraints look at, except attributes and meta that begin with "unique.".
std::string ComputedClass(const NodeRecord& node);

}  // namespace drover
