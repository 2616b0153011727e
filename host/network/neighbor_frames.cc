// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/neighbor_frames.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace drover {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr MacAddress kAllMachines = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr MacAddress kAllIpv6Nodes = {0x33, 0x33, 0, 0, 0, 1};
constexpr std::size_t kArpBytes = 28;
constexpr std::size_t kIpv6Bytes = 16;
constexpr std::size_t kIpv6Header = 40;
constexpr std::size_t kNeighborMessage = 24;  // of ICMPv6, before the options
constexpr char kIcmpv6 = 58;
constexpr char kSolicitation = '\x87';   // 135
constexpr char kAdvertisement = '\x88';  // 136
constexpr auto kAllNodes = "\xff\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"sv;
constexpr auto kSolicitedNodes = "\xff\x02\0\0\0\0\0\0\0\0\0\x01\xff"sv;  // and 3 bytes more
static_assert(kAllNodes.size() == kIpv6Bytes && kSolicitedNodes.size() == kIpv6Bytes - 3);
// Of an interface of Ethernet that asks or answers about IPv4. The operation follows.
constexpr auto kArpStart = "\0\x01\x08\0\x06\x04\0"sv;

std::string BytesOfMac(const MacAddress& mac) { return {mac.begin(), mac.end()}; }

MacAddress MacIn(std::string_view bytes) {
  MacAddress mac{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), mac.size()), mac.begin());
  return mac;
}

std::string Arp(const MacAddress& from, const std::string& address, const std::string& about) {
  std::string packet(kArpStart);
  packet += '\x01';  // a request
  packet += BytesOfMac(from) + address + std::string(6, '\0') + about;
  return packet;
}

// Returns the sum of RFC 1071 over BYTES.
std::uint16_t InternetSum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t byte = static_cast<unsigned char>(bytes[i]);
    sum += i % 2 == 0 ? byte << 8 : byte;
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

// Returns a packet of IPv6 with MESSAGE, whose sum is zero so far.
std::string Ipv6Packet(const std::string& from, std::string_view to, std::string message) {
  const std::string length = {'\0', static_cast<char>(message.size())};
  const std::string ends = from + std::string(to);
  const std::string summed = ends + "\0\0"s + length + "\0\0\0"s + kIcmpv6 + message;
  const std::uint16_t sum = InternetSum(summed);
  message[2] = static_cast<char>(sum >> 8);
  message[3] = static_cast<char>(sum & 0xff);
  return "\x60\0\0\0"s + length + kIcmpv6 + '\xff' + ends + message;
}

std::optional<MacAddress> ArpClaimant(const std::string& address, std::string_view payload) {
  if (payload.size() < kArpBytes || !payload.starts_with(kArpStart)) return std::nullopt;
  if (payload.substr(14, 4) != address) return std::nullopt;  // the address of the sender
  return MacIn(payload.substr(8, 6));
}

}  // namespace

std::string MacText(const MacAddress& mac) {
  char text[18];
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
                mac[4], mac[5]);
  return text;
}

std::string AddressBytes(const std::string& text) {
  in6_addr raw{};
  const bool six = text.find(':') != std::string::npos;
  if (inet_pton(six ? AF_INET6 : AF_INET, text.c_str(), &raw) != 1) return "";
  return std::string(reinterpret_cast<const char*>(&raw), six ? sizeof(in6_addr) : sizeof(in_addr));
}

NeighborFrame AddressQuestion(const std::string& address, const MacAddress& own) {
  if (address.size() != kIpv6Bytes) {
    return {ETH_P_ARP, kAllMachines, Arp(own, std::string(4, '\0'), address)};
  }
  const std::string end = address.substr(13);
  const MacAddress to = MacIn("\x33\x33\xff"s + end);
  const std::string message = kSolicitation + std::string(7, '\0') + address;
  return {ETH_P_IPV6, to,
          Ipv6Packet(std::string(kIpv6Bytes, '\0'), std::string(kSolicitedNodes) + end, message)};
}

NeighborFrame AddressAnnouncement(const std::string& address, const MacAddress& mac) {
  if (address.size() != kIpv6Bytes) return {ETH_P_ARP, kAllMachines, Arp(mac, address, address)};
  // Nobody has asked for it, and it replaces what others know. An option has the MAC.
  const std::string message =
      kAdvertisement + "\0\0\0\x20\0\0\0"s + address + "\x02\x01"s + BytesOfMac(mac);
  return {ETH_P_IPV6, kAllIpv6Nodes, Ipv6Packet(address, kAllNodes, message)};
}

std::optional<MacAddress> AddressClaimant(const std::string& address, std::string_view payload,
                                          const MacAddress& from) {
  if (address.size() != kIpv6Bytes) return ArpClaimant(address, payload);
  // A packet with other headers before its message is no usual one of neighbor discovery.
  if (payload.size() < kIpv6Header + kNeighborMessage || payload[6] != kIcmpv6 ||
      payload[7] != '\xff')
    return std::nullopt;
  const std::string_view message = payload.substr(kIpv6Header);
  if (message[0] != kAdvertisement || message.substr(8, kIpv6Bytes) != address) return std::nullopt;
  const std::string_view options = message.substr(kNeighborMessage);
  return options.size() >= 8 && options.starts_with("\x02\x01"sv) ? MacIn(options.substr(2, 6))
                                                                  : from;
}

}  // namespace drover
