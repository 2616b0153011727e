// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/spec/allocation.h"

namespace drover {

// An address of an allocation that somebody else on its network has, too.
struct AddressClaim {
  std::string address;
  std::string mac;  // who says so; empty if the kernel has found it out
};

// Asks the network whether somebody else has the addresses of NETWORK, which are on its interface
// in the network namespace: by ARP, by neighbor discovery, and by what the kernel itself has found
// out of IPv6 addresses. If nobody answers within 15 ms, says to all that they are here, so that
// machines which know an earlier owner replace it. Else says the same for the one who answered,
// since plugins may have said that the address is here. An interface that is no Ethernet is not
// asked about. Waits for at most 3 s for the kernel's own check of an IPv6 address, and not at all
// if there is none; ends when STOP can be read, which may be -1. Blocks. [any thread]
Result<std::optional<AddressClaim>> FindAddressClaim(const UniqueFd& network_namespace,
                                                     const AllocationNetwork& network, int stop);

// What the kernel has found out of an IPv6 address.
enum class AddressState { kUsable, kTentative, kDuplicate };

// Returns the state of the address with the 16 bytes ADDRESS in TABLE, which has the form of
// /proc/net/if_inet6. An address that is not there is usable.
AddressState Ipv6State(std::istream& table, const std::string& address);

}  // namespace drover
