// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/bridge_in_use.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "host/base/ip_network.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

// Returns whether something is attached to the bridge NAME. False if there is none.
bool HasPorts(const std::string& name) {
  const std::string ports = "/sys/class/net/" + name + "/brif";
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(ports.c_str()), closedir);
  while (entries) {
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) break;
    if (entry->d_name[0] != '.') return true;
  }
  return false;
}

// Returns the first IPv4 address of the interface NAME; empty if it has none. In contrast to the
// list of all addresses, this costs the same however many interfaces the machine has.
std::string FirstAddressOn(const std::string& name) {
  const UniqueFd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  if (!any || name.size() >= sizeof request.ifr_name) return "";
  name.copy(request.ifr_name, name.size());
  if (ioctl(any.get(), SIOCGIFADDR, &request) != 0) return "";
  sockaddr_in four{};
  std::memcpy(&four, &request.ifr_addr, sizeof four);
  char text[INET_ADDRSTRLEN];
  return inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
}

// Returns the IPv4 addresses of the interface NAME.
std::vector<std::string> AddressesOn(const std::string& name) {
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return addresses;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (name != one->ifa_name || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET)
      continue;
    char text[INET_ADDRSTRLEN];
    const auto* const four = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    addresses.emplace_back(inet_ntop(AF_INET, &four->sin_addr, text, sizeof text));
  }
  freeifaddrs(first);
  return addresses;
}

}  // namespace

Status CheckBridge(const BridgeSettings& settings) {
  const std::string first = FirstAddressOn(settings.name);
  if (first.empty() || CheckBridgeAddresses(settings, {first}).ok()) return {};
  if (!HasPorts(settings.name)) return {};
  return CheckBridgeAddresses(settings, AddressesOn(settings.name));
}

Status CheckBridgeAddresses(const BridgeSettings& settings,
                            const std::vector<std::string>& addresses) {
  const std::optional<IpNetwork> subnet = IpNetwork::Parse(settings.subnet);
  const auto fits = [&](const std::string& address) { return subnet && subnet->Contains(address); };
  if (addresses.empty() || std::ranges::any_of(addresses, fits)) return {};
  return Error(Code::kFailedPrecondition,
               "the bridge " + settings.name + " has the address " + addresses.front() +
                   ", which is not in client.bridge_network_subnet " + settings.subnet +
                   ", and something is attached to it, such as earlier allocations: end these, or "
                   "give the bridge a new name by client.bridge_network_name");
}

}  // namespace drover
