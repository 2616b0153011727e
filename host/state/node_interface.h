// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace drover {

// A network interface of a node, and its addresses.
struct NodeInterface {
  struct Address {
    std::string text;  // such as "192.0.2.2" or "2001:db8::1"
    bool ipv6 = false;
    bool leads_out = false;  // the default route of this address family uses the interface

    bool operator==(const Address&) const = default;
  };

  std::string device;  // such as "eth0"
  std::string mac;     // empty if there is none
  int mbits = 0;       // megabits per second; 0 if unknown
  bool loopback = false;
  bool leads_out = false;  // a default route, of IPv4 or IPv6, uses the interface
  std::vector<Address> addresses;

  bool operator==(const NodeInterface&) const = default;
};

// Returns the name of the attribute that a node has if it offers the network mode MODE, "bridge" or
// "cni/NAME". The value is the name of the bridge, or NAME.
inline std::string NetworkAttribute(const std::string& mode) { return "network.mode." + mode; }

}  // namespace drover
