// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/config/agent_config.h"
#include "host/state/node_interface.h"

namespace drover {

// Returns the addresses of each of NETWORKS on this machine, in the order of INTERFACES. A network
// without an address has an empty list.
std::map<std::string, std::vector<std::string>> FindHostNetworks(
    const std::map<std::string, AgentConfig::Client::HostNetwork>& networks,
    const std::vector<NodeInterface>& interfaces);

// Returns the ports of each address that no task gets, by the networks that ADDRESSES lists.
std::map<std::string, std::set<int>> ReservedOfAddresses(
    const std::map<std::string, AgentConfig::Client::HostNetwork>& networks,
    const std::map<std::string, std::vector<std::string>>& addresses);

}  // namespace drover
