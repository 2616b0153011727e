// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/plugin_config.h"
#include "config/task_options.h"
#include "container/network_plan.h"
#include "drover/types.hpp"

namespace drover_docker {

// All that decides about a container. The references are valid during the call only.
struct BodyInput {
  const Settings& settings;
  const TaskOptions& options;
  const drover::TaskConfig& task;
  const NetworkPlan& network;
  std::string image_id;
  std::string joined;  // the id of the pause container that the container joins; may be empty
  // The sources of options.mounts on the host, checked, in the same order. Empty for mounts that
  // have none.
  std::vector<std::string> sources;
  bool podman = false;
  std::string cgroup_parent = {};  // the cgroup of the host for the run; empty: the engine's own
};

// Returns the request of POST /containers/create. Throws drover::Error for a value that the engine
// could take for something else.
nlohmann::json CreateBody(const BodyInput& input);

// Returns the request for the pause container, which holds the namespace of an allocation. IMAGE is
// the image of the pause program, which enters the namespace that lies at /netns.
nlohmann::json PauseBody(const drover::TaskConfig& task, const GroupNames& names,
                         const TaskOptions& options, const std::string& image);

// Returns the network that the task reports to the host: the address of its container and its
// ports; nothing if it uses the host's network or the allocation's own.
std::optional<drover::DriverNetwork> NetworkOf(const NetworkPlan& plan, const TaskOptions& options,
                                               const std::string& ip, const std::string& ipv6);

}  // namespace drover_docker
