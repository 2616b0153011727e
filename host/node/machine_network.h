// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/config/address_template.h"
#include "host/state/node_interface.h"

namespace drover {

// Returns the interfaces of this machine that are up and have an address other than an IPv6
// link-local address. Interfaces with a default route come first, in the order of DefaultRoutes.
// The loopback comes last. In each interface, IPv4 addresses come first.
std::vector<NodeInterface> ReadInterfaces();

// Returns the addresses of ReadInterfaces in the same order, for the templates of a configuration.
std::vector<InterfaceAddress> MachineAddresses();

struct DefaultRoute {
  std::string device;
  bool ipv6 = false;

  bool operator==(const DefaultRoute&) const = default;
};

// Returns the default routes in ROUTES (/proc/net/route) and ROUTES6 (/proc/net/ipv6_route). IPv4
// routes come first. In each family, the route with the lowest metric comes first, since the
// kernel uses that route.
std::vector<DefaultRoute> DefaultRoutes(std::istream& routes, std::istream& routes6);

// Returns an address of the interface of the default route, in the family of that route. IPv4 is
// preferred. Without a default route it returns 127.0.0.1, since any other interface may be a
// bridge that only this machine can reach.
std::string BestAddress(const std::vector<NodeInterface>& interfaces);

// Returns the address that WANTED names. WANTED is a device or an address of INTERFACES. Returns
// kInvalidArgument if WANTED is neither.
Result<std::string> AddressOf(const std::vector<NodeInterface>& interfaces,
                              const std::string& wanted);

}  // namespace drover
