// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "host/base/ip_network.h"
#include "host/config/config_values.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kLongestInterface = 15;  // of Linux

bool IsNetworkName(const std::string& name, std::size_t most) {
  return !name.empty() && name.size() <= most && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

void CheckSubnet(const ConfigValues& values, const std::string& pointer, const std::string& text,
                 bool ipv6) {
  if (text.empty()) return;
  const auto subnet = IpNetwork::Parse(text);
  // The bridge and two allocations need addresses.
  const int most = ipv6 ? 124 : 29;
  if (subnet && subnet->ipv6() == ipv6 && subnet->prefix() <= most) return;
  values.Mistake(pointer, ipv6 ? "must be an IPv6 network such as fd00:26::/64"
                               : "must be an IPv4 network such as 172.26.64.0/20");
}

void ReadBridge(const ConfigValues& values, AgentConfig::Client::Bridge* bridge) {
  values.Text("/client/bridge_network_name", &bridge->name);
  if (!IsNetworkName(bridge->name, kLongestInterface)) {
    values.Mistake("/client/bridge_network_name",
                   "must have 1 to 15 letters, digits, -, _ and ., as names of interfaces");
  }
  values.Text("/client/bridge_network_subnet", &bridge->subnet);
  if (bridge->subnet.empty()) bridge->subnet = AgentConfig::Client::Bridge().subnet;
  CheckSubnet(values, "/client/bridge_network_subnet", bridge->subnet, false);
  values.Text("/client/bridge_network_subnet_ipv6", &bridge->subnet_ipv6);
  CheckSubnet(values, "/client/bridge_network_subnet_ipv6", bridge->subnet_ipv6, true);
  values.Bool("/client/bridge_network_hairpin_mode", &bridge->hairpin);
}

AgentConfig::Client::HostNetwork ReadHostNetwork(const ConfigValues& values,
                                                 const std::string& at) {
  AgentConfig::Client::HostNetwork network;
  values.Text(at + "/cidr", &network.cidr);
  if (!network.cidr.empty() && !IpNetwork::Parse(network.cidr)) {
    values.Mistake(at + "/cidr", "must be a network such as 203.0.113.0/24");
  }
  values.Address(at + "/interface", &network.interface_name);
  if (network.cidr.empty() && network.interface_name.empty()) {
    values.Mistake(at, "needs cidr, interface, or both");
  }
  values.Text(at + "/reserved_ports", &network.ports_text);
  if (!ReadPorts(network.ports_text, &network.ports)) {
    values.Mistake(at + "/reserved_ports", "must be ports and ranges such as \"22,80,8500-8600\"");
  }
  return network;
}

}  // namespace

void ReadNetworkConfig(const ConfigValues& values, AgentConfig::Client* client) {
  ReadBridge(values, &client->bridge);
  values.Text("/client/cni_path", &client->cni_path);
  if (client->cni_path.empty()) client->cni_path = AgentConfig::Client().cni_path;
  values.Text("/client/cni_config_dir", &client->cni_config_dir);
  values.Bool("/client/cni_address_check", &client->cni_address_check);
  const nlohmann::json* const blocks = values.Find("/client/host_network");
  if (blocks == nullptr) return;
  for (const auto& [name, block] : blocks->items()) {
    const std::string at = JsonPointer("/client/host_network", name);
    if (!IsNetworkName(name, 128) || name == "default") {
      values.Mistake(at, "its name must have letters, digits, -, _ and ., and not be default");
      continue;
    }
    client->host_networks.emplace(name, ReadHostNetwork(values, at));
  }
}

}  // namespace drover
