// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/plugin_node.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "host/abi/abi_write.h"
#include "host/abi/plugin_info.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

using NodeText = std::pair<drover_str drover_node_info::*, std::string PluginNode::*>;
constexpr NodeText kNodeTexts[] = {
    {&drover_node_info::node_id, &PluginNode::node_id},
    {&drover_node_info::node_name, &PluginNode::node_name},
    {&drover_node_info::node_pool, &PluginNode::node_pool},
    {&drover_node_info::datacenter, &PluginNode::datacenter},
    {&drover_node_info::region, &PluginNode::region},
    {&drover_node_info::agent_version, &PluginNode::agent_version},
    {&drover_node_info::state_dir, &PluginNode::state_dir},
    {&drover_node_info::cache_dir, &PluginNode::cache_dir},
    {&drover_node_info::run_dir, &PluginNode::run_dir},
    {&drover_node_info::cgroup_parent, &PluginNode::cgroup_parent},
};

// Makes the directory NAME in the directory PARENT, unless it exists, and opens it. PATH is its
// path, for messages.
Result<UniqueFd> MakeOwnDirectory(int parent, const std::string& name, const std::string& path) {
  if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, "cannot make the directory " + path);
  }
  UniqueFd made(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made && (errno == ELOOP || errno == ENOTDIR)) {
    return Error(Code::kFailedPrecondition, path + " is no directory: remove it");
  }
  struct stat info{};
  if (!made || fstat(made.get(), &info) != 0) {
    return ErrnoError(errno, "cannot open the directory " + path);
  }
  if (info.st_uid != geteuid()) {
    return Error(Code::kFailedPrecondition, path + " belongs to the user " +
                                                std::to_string(info.st_uid) +
                                                ": give it to the agent's user, or remove it");
  }
  if ((info.st_mode & 07777) != 0700 && fchmod(made.get(), 0700) != 0) {
    return ErrnoError(errno, "cannot set the mode of the directory " + path);
  }
  return made;
}

std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

PluginNode NodeOfPlugin(const PluginNode& node, const std::string& name) {
  PluginNode own = node;
  if (node.directory.empty()) return own;
  DROVER_CHECK(IsDriverName(name));
  own.directory = node.directory + "/" + name;
  own.state_dir = own.directory + "/state";
  own.cache_dir = own.directory + "/cache";
  own.run_dir = own.directory + "/run";
  if (!node.cgroup_parent.empty()) own.cgroup_parent = node.cgroup_parent + "/" + name;
  return own;
}

drover_node_info ToNodeInfo(const PluginNode& node) {
  auto info = NewStruct<drover_node_info>();
  for (const auto& [to, from] : kNodeTexts) info.*to = ToStr(node.*from);
  return info;
}

PluginNode ReadNodeInfo(const drover_node_info& from) {
  PluginNode node;
  for (const auto& [text, to] : kNodeTexts) {
    if ((from.*text).data != nullptr) (node.*to).assign((from.*text).data, (from.*text).size);
  }
  node.directory = SplitPath(node.state_dir).first;
  return node;
}

Status MakePluginDirectories(const PluginNode& node) {
  const auto [all, plugin] = SplitPath(node.directory);
  const auto [above, name] = SplitPath(all);
  if (above.empty() || name.empty() || !IsDriverName(plugin)) {
    return Error(Code::kInternal, "\"" + node.directory + "\" is no place for a plugin's files");
  }
  const UniqueFd base(open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!base) return ErrnoError(errno, "cannot open the directory " + above);
  DROVER_ASSIGN(const UniqueFd plugins, MakeOwnDirectory(base.get(), name, all));
  DROVER_ASSIGN(const UniqueFd own, MakeOwnDirectory(plugins.get(), plugin, node.directory));
  for (const std::string& path : {node.state_dir, node.cache_dir, node.run_dir}) {
    DROVER_TRY(MakeOwnDirectory(own.get(), SplitPath(path).second, path));
  }
  return {};
}

}  // namespace drover
