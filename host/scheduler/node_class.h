// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/scheduler/records.h"

namespace drover {

// "v1:" and a number that nodes have in common on which the same jobs can run: it is made of what
// constraints look at, without what is of one node only (attributes and meta with "unique.").
std::string ComputedClass(const NodeRecord& node);

}  // namespace drover
