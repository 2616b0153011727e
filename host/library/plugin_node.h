// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drover/drover_node.h"
#include "host/base/result.h"

namespace drover {

// The node as a plugin gets it from the service drover.node. Its texts are those of
// drover_node_info.
struct PluginNode {
  std::string node_id;
  std::string node_name;
  std::string node_pool;
  std::string datacenter;
  std::string region;
  std::string agent_version;
  // The directory with the directories of all plugins, or of this plugin: an absolute path. If it
  // is empty, plugins do not get the service. Its parent directory must exist.
  std::string directory;
  std::string cgroup_parent;  // of the engines of all plugins, or of this plugin
  std::string state_dir;      // set only for a single plugin, as the next two
  std::string cache_dir;
  std::string run_dir;
};

// Returns NODE with the directories and the cgroup of the plugin NAME. NAME must be the checked
// name of a driver, which is also the name of a directory.
PluginNode NodeOfPlugin(const PluginNode& node, const std::string& name);

// Returns NODE in the form of the ABI. The result points into NODE.
drover_node_info ToNodeInfo(const PluginNode& node);
// Copies what a frame of the host brought. The directory of the result is that of the plugin.
PluginNode ReadNodeInfo(const drover_node_info& from);

// Makes the directories of the plugin to which NODE belongs, unless they exist, and gives them the
// mode 0700. Follows no symbolic link in them. Fails if one of them is no directory of this
// process's user. [any thread]
Status MakePluginDirectories(const PluginNode& node);

}  // namespace drover
