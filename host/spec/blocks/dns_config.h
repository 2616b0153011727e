// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace drover {

// How names are looked up in a network: the lines of a resolv.conf.
struct DnsConfig {
  std::vector<std::string> servers;   // IP addresses
  std::vector<std::string> searches;  // domains
  std::vector<std::string> options;   // such as "ndots:2"

  bool empty() const { return servers.empty() && searches.empty() && options.empty(); }
  bool operator==(const DnsConfig&) const = default;
};

}  // namespace drover
