// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/scheduler/node_interface.h"

namespace drover {

// The interfaces of this machine that are up and have an address with a meaning beyond their own
// link: those that lead out first, the loopback last. In each, addresses of IPv4 come first.
std::vector<NodeInterface> ReadInterfaces();

// The devices to which ROUTES (/proc/net/route) and ROUTES6 (/proc/net/ipv6_route) send what is for
// no other network.
std::set<std::string> DevicesThatLeadOut(std::istream& routes, std::istream& routes6);

// The address by which this machine can be reached best; 127.0.0.1 where there is none.
std::string BestAddress(const std::vector<NodeInterface>& interfaces);

// The address that WANTED stands for: the name of one of INTERFACES, or an address of one.
// kInvalidArgument: of none.
Result<std::string> AddressOf(const std::vector<NodeInterface>& interfaces,
                              const std::string& wanted);

}  // namespace drover
