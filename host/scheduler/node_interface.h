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
  int mbits = 0;       // a second; 0: not known
  bool loopback = false;
  bool leads_out = false;  // what is for no other network goes this way, in a family at least
  std::vector<Address> addresses;

  bool operator==(const NodeInterface&) const = default;
};

}  // namespace drover
