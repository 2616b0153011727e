// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/network/conflist.h"

namespace drover {

// The bridge on which allocations with the network mode "bridge" are.
struct BridgeSettings {
  std::string name = "drover";                // of the bridge and of the network
  std::string subnet = "172.26.64.0/20";      // IPv4; the bridge has its first address
  std::string subnet_ipv6;                    // empty: no IPv6
  bool hairpin = false;                       // whether a task reaches its own port on the host
  std::string leases = "/run/drover-leases";  // directory of the leases of addresses

  bool operator==(const BridgeSettings&) const = default;
};

// The programs that a bridge needs.
const std::vector<std::string>& BridgePlugins();

// Returns the network of SETTINGS: a bridge that leads out by masquerading, rules that let its
// traffic pass, and mapped ports.
Conflist BridgeConflist(const BridgeSettings& settings);

}  // namespace drover
