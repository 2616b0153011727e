// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/scheduler/node_interface.h"

namespace drover {

// The interfaces of this machine that are up and have an address with a meaning beyond their own
// link: those that lead out first, in the order of DefaultRoutes, the loopback last. In each,
// addresses of IPv4 come first.
std::vector<NodeInterface> ReadInterfaces();

// The route of all packets that no other route takes.
struct DefaultRoute {
  std::string device;
  bool ipv6 = false;

  bool operator==(const DefaultRoute&) const = default;
};

// The default routes in ROUTES (/proc/net/route) and ROUTES6 (/proc/net/ipv6_route): first those of
// IPv4; in each family the one with the lowest metric, which the kernel uses, comes first.
std::vector<DefaultRoute> DefaultRoutes(std::istream& routes, std::istream& routes6);

// The address of the interface of the default route, of the route's family; IPv4 comes first.
// Without such a route it is 127.0.0.1: another interface may be a bridge that only this machine
// knows.
std::string BestAddress(const std::vector<NodeInterface>& interfaces);

// The address that WANTED stands for: the name of one of INTERFACES, or an address of one.
// kInvalidArgument: of none.
Result<std::string> AddressOf(const std::vector<NodeInterface>& interfaces,
                              const std::string& wanted);

}  // namespace drover
