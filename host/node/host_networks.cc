// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/host_networks.h"

#include <optional>

#include "host/base/ip_network.h"

namespace drover {
namespace {

// Returns whether WANTED, an interface or an address of it, is OF.
bool IsInterface(const NodeInterface& of, const std::string& wanted) {
  if (wanted.empty() || of.device == wanted) return true;
  for (const NodeInterface::Address& address : of.addresses) {
    if (address.text == wanted) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, std::vector<std::string>> FindHostNetworks(
    const std::map<std::string, AgentConfig::Client::HostNetwork>& networks,
    const std::vector<NodeInterface>& interfaces) {
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& [name, network] : networks) {
    std::vector<std::string>& addresses = found[name];
    const std::optional<IpNetwork> range = IpNetwork::Parse(network.cidr);
    for (const NodeInterface& of : interfaces) {
      if (!IsInterface(of, network.interface_name)) continue;
      for (const NodeInterface::Address& address : of.addresses) {
        if (!range || range->Contains(address.text)) addresses.push_back(address.text);
      }
    }
  }
  return found;
}

std::map<std::string, std::set<int>> ReservedOfAddresses(
    const std::map<std::string, AgentConfig::Client::HostNetwork>& networks,
    const std::map<std::string, std::vector<std::string>>& addresses) {
  std::map<std::string, std::set<int>> reserved;
  for (const auto& [name, of_network] : addresses) {
    const auto network = networks.find(name);
    if (network == networks.end() || network->second.ports.empty()) continue;
    for (const std::string& address : of_network) {
      reserved[address].insert(network->second.ports.begin(), network->second.ports.end());
    }
  }
  return reserved;
}

}  // namespace drover
