// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// The address at which a server of the cluster accepts calls of nodes.
struct ClusterAddress {
  static constexpr std::uint16_t kDefaultPort = 4647;

  std::string host;  // a name or an IP address, without brackets
  std::uint16_t port = kDefaultPort;

  // Returns the address as "HOST:PORT", an IPv6 address in brackets.
  std::string ToString() const;
  auto operator<=>(const ClusterAddress&) const = default;
};

// Reads "HOST", "HOST:PORT", "[IPv6]:PORT", "[IPv6]" or an IPv6 address without brackets. Returns
// kInvalidArgument for any other text, also for a URL.
Result<ClusterAddress> ParseClusterAddress(std::string_view text);

}  // namespace drover
