// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/scheduler/node_interface.h"

namespace drover {

// The interfaces of this machine that are up and have an address that is not an IPv6 link-local
// one. Interfaces with a default route come first, in the order of DefaultRoutes, the loopback
// last. In each, IPv4 addresses come first.
std::vector<NodeInterface> ReadInterfaces();

struct DefaultRoute {
  std::string device;
  bool ipv6 = false;

  bool operator==(const DefaultRoute&) const = default;
};

// The default routes in ROUTES (/proc/net/route) and ROUTES6 (/proc/net/ipv6_route). IPv4 comes
// first; in each family the route with the lowest metric, which the kernel uses, comes first.
std::vector<DefaultRoute> DefaultRoutes(std::istream& routes, std::istream& routes6);

// The address of the interface of the default route, in the family of that route; IPv4 is
// preferred. Without a default route it is 127.0.0.1: an interface may then be a bridge that only
// this machine knows.
std::string BestAddress(const std::vector<NodeInterface>& interfaces);

// The address that WANTED stands for: WANTED is a device or an address of INTERFACES.
// kInvalidArgument: it is neither.
Result<std::string> AddressOf(const std::vector<NodeInterface>& interfaces,
                              const std::string& wanted);

}  // namespace drover
