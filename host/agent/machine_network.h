// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/scheduler/node_interface.h"

namespace drover {

// The interfaces of this machine that are up and have an address that is not an IPv6 link-local
// one. Interfaces that lead out come first, the loopback last. In each, IPv4 addresses come first.
std::vector<NodeInterface> ReadInterfaces();

// The devices of the default routes in ROUTES (/proc/net/route) and ROUTES6
// (/proc/net/ipv6_route).
std::set<std::string> DevicesThatLeadOut(std::istream& routes, std::istream& routes6);

// The address by which this machine is best reached; 127.0.0.1 if all are on the loopback.
std::string BestAddress(const std::vector<NodeInterface>& interfaces);

// The address that WANTED stands for: WANTED is a device or an address of INTERFACES.
// kInvalidArgument: it is neither.
Result<std::string> AddressOf(const std::vector<NodeInterface>& interfaces,
                              const std::string& wanted);

}  // namespace drover
