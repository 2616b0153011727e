// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover {

using MacAddress = std::array<std::uint8_t, 6>;

// Returns MAC as people write it, such as "02:42:ac:11:00:02".
std::string MacText(const MacAddress& mac);
// Returns the 4 or 16 bytes of the IP address TEXT; empty if it is none.
std::string AddressBytes(const std::string& text);

// What is sent below IP to the machines of a link: a packet of ARP or of IPv6, without the header
// of the link.
struct NeighborFrame {
  std::uint16_t protocol = 0;  // ETH_P_ARP or ETH_P_IPV6
  MacAddress to{};
  std::string payload;
};

// The functions below take an address as its bytes: those of IPv4 make packets of ARP, those of
// IPv6 packets of neighbor discovery.

// Asks who has ADDRESS, without a word on who asks: no machine learns anything wrong from it. OWN
// is the address of the interface that asks.
NeighborFrame AddressQuestion(const std::string& address, const MacAddress& own);
// Says to all that MAC has ADDRESS. Machines that know another one replace it.
NeighborFrame AddressAnnouncement(const std::string& address, const MacAddress& mac);
// Returns who says in PAYLOAD that it has ADDRESS; FROM has sent the frame. Returns nothing if it
// says something else, or cannot be read. A question is no claim.
std::optional<MacAddress> AddressClaimant(const std::string& address, std::string_view payload,
                                          const MacAddress& from);

}  // namespace drover
