// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/ip_network.h"

#include <arpa/inet.h>

#include "host/base/text.h"

namespace drover {
namespace {

// Reads the bytes of ADDRESS, of which an IPv4 address has the first four.
bool ReadBytes(const std::string& address, bool ipv6, std::array<std::uint8_t, 16>* bytes) {
  return inet_pton(ipv6 ? AF_INET6 : AF_INET, address.c_str(), bytes->data()) == 1;
}

bool IsSix(const std::string& address) { return address.find(':') != std::string::npos; }

}  // namespace

std::optional<IpNetwork> IpNetwork::Parse(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  IpNetwork network;
  const std::string address = text.substr(0, slash);
  network.ipv6_ = IsSix(address);
  const std::optional<int> prefix = ParseNumber<int>(text.substr(slash + 1));
  const int most = network.ipv6_ ? 128 : 32;
  if (!prefix || *prefix < 0 || *prefix > most) return std::nullopt;
  if (!ReadBytes(address, network.ipv6_, &network.bytes_)) return std::nullopt;
  network.prefix_ = *prefix;
  return network;
}

bool IpNetwork::Contains(const std::string& address) const {
  std::array<std::uint8_t, 16> bytes{};
  if (IsSix(address) != ipv6_ || !ReadBytes(address, ipv6_, &bytes)) return false;
  for (int bit = 0; bit < prefix_; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if (((bytes[byte] ^ bytes_[byte]) & mask) != 0) return false;
  }
  return true;
}

}  // namespace drover
