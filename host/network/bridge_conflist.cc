// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/bridge_conflist.h"

namespace drover {
namespace {

using nlohmann::json;

json Leases(const BridgeSettings& settings) {
  json ranges = json::array();
  ranges.push_back(json::array({json{{"subnet", settings.subnet}}}));
  json routes = json::array();
  routes.push_back(json{{"dst", "0.0.0.0/0"}});
  if (!settings.subnet_ipv6.empty()) {
    ranges.push_back(json::array({json{{"subnet", settings.subnet_ipv6}}}));
    routes.push_back(json{{"dst", "::/0"}});
  }
  // The directory is the same for all agents of the machine, which may use the same bridge. It is
  // below /run, so a reboot removes the leases with everything else.
  return {{"type", "host-local"},
          {"dataDir", settings.leases},
          {"ranges", std::move(ranges)},
          {"routes", std::move(routes)}};
}

}  // namespace

const std::vector<std::string>& BridgePlugins() {
  static const auto& names =
      *new std::vector<std::string>{"bridge", "firewall", "host-local", "portmap"};
  return names;
}

Conflist BridgeConflist(const BridgeSettings& settings) {
  const json bridge = {{"type", "bridge"},
                       {"bridge", settings.name},
                       {"isGateway", true},
                       {"ipMasq", true},
                       // After a change of the subnet, a bridge that nobody uses gets its new
                       // address; see CheckBridge.
                       {"forceAddress", true},
                       {"hairpinMode", settings.hairpin},
                       {"ipam", Leases(settings)}};
  const json firewall = {{"type", "firewall"}, {"backend", "iptables"}};
  const json ports = {
      {"type", "portmap"}, {"snat", true}, {"capabilities", {{"portMappings", true}}}};
  Conflist list;
  list.name = settings.name;
  list.version = "0.4.0";
  json whole = {{"cniVersion", list.version}, {"name", list.name}, {"plugins", json::array()}};
  for (const json* plugin : {&bridge, &firewall, &ports}) {
    list.plugins.push_back(CniPlugin{plugin->at("type").get<std::string>(), *plugin});
    whole["plugins"].push_back(*plugin);
  }
  list.text = whole.dump();
  return list;
}

}  // namespace drover
