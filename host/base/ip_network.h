// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace drover {

// A range of IP addresses with a common prefix, such as 192.0.2.0/24 or fd00::/8.
class IpNetwork {
 public:
  // Returns nothing if TEXT is no address with the length of a prefix.
  static std::optional<IpNetwork> Parse(const std::string& text);

  bool ipv6() const { return ipv6_; }
  int prefix() const { return prefix_; }
  // Returns whether ADDRESS is in the network. False if it is no address.
  bool Contains(const std::string& address) const;

 private:
  IpNetwork() = default;

  bool ipv6_ = false;
  int prefix_ = 0;
  std::array<std::uint8_t, 16> bytes_{};
};

}  // namespace drover
