// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/spec/allocation.h"

namespace drover {

// Checks that the interface and the addresses of NETWORK are really in the network namespace. An
// error says what is missing. Blocks for about a millisecond. [any thread]
Status CheckAddresses(const UniqueFd& network_namespace, const AllocationNetwork& network);

}  // namespace drover
