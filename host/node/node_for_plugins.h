// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/library/plugin_node.h"
#include "host/taskenv/task_env.h"

namespace drover {

// Returns the node that INFO describes as its plugins see it. DIRECTORY is the place of their own
// directories, or empty if they get none. Reads the cgroup of this process.
PluginNode NodeForPlugins(const NodeInfo& info, const std::string& agent_version,
                          const std::string& directory);

// Removes DIRECTORY with the directories of all plugins. A plugin may have mounted anything in
// them: mounts are unmounted, and what is mounted is not touched. What cannot be removed stays.
void RemovePluginDirectories(const std::string& directory);

}  // namespace drover
