// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "host/config/agent_config.h"
#include "host/node/node.h"

namespace drover {

// Makes a node, loads its plugins, and calls LOOK with the node. The node runs no tasks, because
// the caller only inspects plugins. Returns an error if the node cannot be made or its plugins are
// not loaded in time.
Status WithLoadedNode(AgentConfig config,
                      const std::function<void(Node*, const std::vector<PluginReport>&)>& look);

}  // namespace drover
