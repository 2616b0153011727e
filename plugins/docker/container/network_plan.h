// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/task_options.h"
#include "drover/types.hpp"

namespace drover_docker {

// A port of the container that the engine publishes.
struct PublishedPort {
  std::string label;
  std::string host_ip;
  int host_port = 0;
  int container_port = 0;
};

// How a container gets its network.
struct NetworkPlan {
  std::string mode;          // the engine's NetworkMode; empty if a pause container must be joined
  bool needs_pause = false;  // by the engine that cannot join a namespace by its path
  bool joins = false;        // the container shares the network of another container or of the host
  std::vector<PublishedPort> ports;
};

// The names of the group's network, which some hosts send.
struct GroupNames {
  std::string hostname;
  StringMap labels;
  std::vector<std::string> dns_servers, dns_searches, dns_options;
};

// Reads the members of TASK that hosts of ABI 1.1 send. The SDK of ABI 1.0 does not have them.
template <typename Task>
GroupNames ReadGroupNames(const Task& task) {
  GroupNames out;
  if constexpr (requires { task.hostname; }) out.hostname = task.hostname;
  if constexpr (requires { task.labels; }) {
    for (const auto& [name, value] : task.labels) out.labels[name] = value;
  }
  if constexpr (requires { task.dns_servers; }) out.dns_servers = task.dns_servers;
  if constexpr (requires { task.dns_searches; }) out.dns_searches = task.dns_searches;
  if constexpr (requires { task.dns_options; }) out.dns_options = task.dns_options;
  return out;
}

// Decides about the network of a task. JOINS_BY_PATH: the engine can join a network namespace by
// its path, as podman can. Throws drover::Error for a label without a port and for options that the
// network does not have.
NetworkPlan PlanNetwork(const drover::TaskConfig& task, const TaskOptions& options,
                        bool joins_by_path);

}  // namespace drover_docker
