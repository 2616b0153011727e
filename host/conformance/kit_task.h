// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/driver/driver.h"
#include "host/library/plugin_node.h"

namespace drover {

// Returns a task with the name NAME, as a node describes a task to its driver. Makes an allocation
// directory below DIRECTORY if it is missing. The caller must set driver_config_json.
TaskConfig MakeKitTask(const std::string& directory, const std::string& name);

// Returns the node of these tasks as a plugin sees it. The directories of plugins are below
// DIRECTORY.
PluginNode MakeKitNode(const std::string& directory);

}  // namespace drover
