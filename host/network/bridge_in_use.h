// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/network/bridge_conflist.h"

namespace drover {

// Checks that the bridge of SETTINGS can have an address of its subnet: it is not there, nothing is
// attached to it, or it has such an address already. Else allocations use it with other addresses,
// of an earlier configuration or of another agent, and would lose their way out. Blocks for about a
// millisecond. [any thread]
Status CheckBridge(const BridgeSettings& settings);

// Does the same for a bridge to which something is attached, and which has ADDRESSES.
Status CheckBridgeAddresses(const BridgeSettings& settings,
                            const std::vector<std::string>& addresses);

}  // namespace drover
