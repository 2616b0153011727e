// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "drover/drover_node.h"
#include "drover/host.hpp"

// The node of a plugin, and the plugin's own directories. Like drover_node.h, this is a DRAFT
// without a promise.
namespace drover {
inline namespace sdk_v1 {

// Describes the node. The members are those of drover_node_info in drover_node.h. The three
// directories exist, belong to the agent's user, have the mode 0700, and are the plugin's own.
struct NodeInfo {
  std::string node_id;
  std::string node_name;
  std::string node_pool;
  std::string datacenter;
  std::string region;
  std::string agent_version;
  std::string state_dir;      // what the plugin needs after a restart
  std::string cache_dir;      // what the plugin can get or make again
  std::string run_dir;        // sockets and other files of running processes
  std::string cgroup_parent;  // relative to the mount point of a hierarchy; may not exist
};

namespace abi {

using NodeText = Pair<drover_node_info, drover_str, NodeInfo, std::string>;
inline constexpr NodeText kNodeTexts[] = {
#define DROVER_SDK_FIELD(name) {&drover_node_info::name, &NodeInfo::name}
    DROVER_SDK_FIELD(node_id),      DROVER_SDK_FIELD(node_name), DROVER_SDK_FIELD(node_pool),
    DROVER_SDK_FIELD(datacenter),   DROVER_SDK_FIELD(region),    DROVER_SDK_FIELD(agent_version),
    DROVER_SDK_FIELD(state_dir),    DROVER_SDK_FIELD(cache_dir), DROVER_SDK_FIELD(run_dir),
    DROVER_SDK_FIELD(cgroup_parent)};
#undef DROVER_SDK_FIELD

}  // namespace abi

// Returns the description of the node, or nothing if the host has no such service. Makes the
// directories, unless they exist. Throws Error if they cannot be made. It only asks the file
// system, so a constructor of a driver may call it. [any-thread]
inline std::optional<NodeInfo> GetNode(const Host& host) {
  const auto* service = static_cast<const drover_node*>(host.Extension(DROVER_NODE_ID));
  if (service == nullptr || !DROVER_HAS(service, drover_node, make_directories)) {
    return std::nullopt;
  }
  drover_error error = abi::EmptyError();
  const std::int32_t code = service->make_directories(host.raw(), &error);
  if (code != DROVER_OK) throw abi::ReadError(code, error);
  const drover_node_info in = abi::Sized(service->get(host.raw()), "the node");
  NodeInfo out;
  for (const abi::NodeText& field : abi::kNodeTexts) out.*field.value = abi::Text(in.*field.raw);
  return out;
}

}  // namespace sdk_v1
}  // namespace drover
