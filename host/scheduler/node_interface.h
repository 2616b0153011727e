// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace drover {

// A network interface of a node, and its addresses.
struct NodeInterface {
  struct Address {
    std::string text;  // "192.0.2.2", "2001:db8::1"
    bool ipv6 = false;
    bool leads_out = false;  // the default route of its family goes by this interface

    bool operator==(const Address&) const = default;
  };

  std::string device;  // "eth0"
  std::string mac;     // empty: it has none
  int mbits = 0;       // megabits per second; 0: not known
  bool loopback = false;
  bool leads_out = false;  // a default route, of IPv4 or IPv6, goes this way
  std::vector<Address> addresses;

  bool operator==(const NodeInterface&) const = default;
};

}  // namespace drover
