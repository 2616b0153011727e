// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "host/agent/agent_config.h"
#include "host/agent/node.h"

namespace drover {

// Calls LOOK with a node that has its plugins loaded and runs nothing, for commands that only ask.
// The error says why there is no node.
Status WithLoadedNode(AgentConfig config,
                      const std::function<void(Node*, const std::vector<PluginReport>&)>& look);

}  // namespace drover
