// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_for_plugins.h"

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/alloc/dir_tree.h"
#include "host/base/unique_fd.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/unit_cgroups.h"

namespace drover {
namespace {

// Returns the path below which plugins may make cgroups, relative to the mount point of a
// hierarchy. If systemd has delegated a unit to the agent, it is a cgroup of this unit.
std::string CgroupOfPlugins() {
  // The process service has entered the unit already, so this call only finds it again.
  const Result<std::optional<UnitCgroups>> own = EnterUnitCgroups();
  if (!own.ok() || !*own) return "/drover_plugins";
  std::ifstream file("/proc/self/mounts");
  const std::string mounts{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string mount = CgroupTracker::FindMount(mounts).value_or("");
  const std::string& unit = (*own)->unit;
  return (unit.starts_with(mount) ? unit.substr(mount.size()) : unit) + "/plugins";
}

}  // namespace

PluginNode NodeForPlugins(const NodeInfo& info, const std::string& agent_version,
                          const std::string& directory) {
  PluginNode node;
  node.node_id = info.id;
  node.node_name = info.name;
  node.node_pool = info.pool;
  node.datacenter = info.datacenter;
  node.region = info.region;
  node.agent_version = agent_version;
  node.directory = directory;
  node.cgroup_parent = CgroupOfPlugins();
  return node;
}

void RemovePluginDirectories(const std::string& directory) {
  const std::filesystem::path path(directory);
  const UniqueFd parent(open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent) (void)RemoveTreeAt(parent.get(), path.filename().string(), directory);
}

}  // namespace drover
