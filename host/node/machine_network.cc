// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/machine_network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace drover {
namespace {

// Converts FROM to an address. Returns nothing if FROM is a link-local IPv6 address or no IP
// address.
std::optional<NodeInterface::Address> ReadIp(const sockaddr* from) {
  char text[INET6_ADDRSTRLEN];
  if (from->sa_family == AF_INET) {
    const auto* ip = reinterpret_cast<const sockaddr_in*>(from);
    return NodeInterface::Address{inet_ntop(AF_INET, &ip->sin_addr, text, sizeof text), false};
  }
  if (from->sa_family != AF_INET6) return std::nullopt;
  const auto* ip = reinterpret_cast<const sockaddr_in6*>(from);
  if (IN6_IS_ADDR_LINKLOCAL(&ip->sin6_addr)) return std::nullopt;
  return NodeInterface::Address{inet_ntop(AF_INET6, &ip->sin6_addr, text, sizeof text), true};
}

std::string ReadMac(const sockaddr* from) {
  const auto* link = reinterpret_cast<const sockaddr_ll*>(from);
  std::string mac;
  for (int i = 0; i < link->sll_halen; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, i == 0 ? "%02x" : ":%02x", link->sll_addr[i]);
    mac += byte;
  }
  return mac;
}

// The kernel reports -1, or no value, for interfaces without a speed.
int ReadMbits(const std::string& device) {
  std::ifstream file("/sys/class/net/" + device + "/speed");
  int mbits = 0;
  file >> mbits;
  return std::max(mbits, 0);
}

void Add(const ifaddrs& one, const std::vector<DefaultRoute>& routes,
         std::vector<NodeInterface>* all) {
  if (one.ifa_addr == nullptr || (one.ifa_flags & IFF_UP) == 0) return;
  const auto same = [&](const NodeInterface& of) { return of.device == one.ifa_name; };
  auto found = std::find_if(all->begin(), all->end(), same);
  if (found == all->end()) {
    NodeInterface of;
    of.device = one.ifa_name;
    of.loopback = (one.ifa_flags & IFF_LOOPBACK) != 0;
    of.leads_out = std::ranges::count(routes, of.device, &DefaultRoute::device) > 0;
    const auto rank = [&routes](const NodeInterface& each) {
      const auto best = std::ranges::find(routes, each.device, &DefaultRoute::device);
      return std::pair(best - routes.begin(), each.loopback);
    };
    // Inserts the interface after interfaces of the same rank, which keeps the order of the
    // kernel.
    found = all->insert(std::ranges::upper_bound(*all, rank(of), {}, rank), of);
  }
  if (one.ifa_addr->sa_family == AF_PACKET && !found->loopback) found->mac = ReadMac(one.ifa_addr);
  auto address = ReadIp(one.ifa_addr);
  if (!address) return;
  const DefaultRoute way = {found->device, address->ipv6};
  address->leads_out = std::ranges::count(routes, way) > 0;
  std::vector<NodeInterface::Address>& to = found->addresses;
  to.insert(std::ranges::upper_bound(to, address->ipv6, {}, &NodeInterface::Address::ipv6),
            *address);
}

}  // namespace

std::vector<NodeInterface> ReadInterfaces() {
  std::vector<NodeInterface> all;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return all;
  std::ifstream file("/proc/net/route"), file6("/proc/net/ipv6_route");
  const std::vector<DefaultRoute> routes = DefaultRoutes(file, file6);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) Add(*one, routes, &all);
  freeifaddrs(first);
  std::erase_if(all, [](const NodeInterface& of) { return of.addresses.empty(); });
  for (NodeInterface& of : all) of.mbits = ReadMbits(of.device);
  return all;
}

std::vector<InterfaceAddress> MachineAddresses() {
  std::vector<InterfaceAddress> all;
  for (const NodeInterface& of : ReadInterfaces()) {
    for (const NodeInterface::Address& address : of.addresses) {
      all.push_back({of.device, address.text});
    }
  }
  return all;
}

std::vector<DefaultRoute> DefaultRoutes(std::istream& routes, std::istream& routes6) {
  // The devices of the routes. Each key is a pair: whether the route is for IPv6, and its metric.
  std::multimap<std::pair<bool, unsigned long>, std::string> devices;
  // The fields of a line are Iface, Destination, Gateway, Flags, RefCnt, Use, Metric, Mask and
  // more.
  for (std::string line; std::getline(routes, line);) {
    std::istringstream fields(line);
    std::string device, to, gateway, flags, references, use, metric, mask;
    fields >> device >> to >> gateway >> flags >> references >> use >> metric >> mask;
    if (to != "00000000" || mask != "00000000") continue;
    devices.emplace(std::pair(false, std::strtoul(metric.c_str(), nullptr, 10)), device);
  }
  // The fields of a line are the destination, its length, the source, its length, the next hop,
  // the metric, the references, the use, the flags and the device.
  for (std::string line; std::getline(routes6, line);) {
    std::istringstream fields(line);
    std::string to, length, from, of_from, hop, metric, references, use, flags, device;
    fields >> to >> length >> from >> of_from >> hop >> metric >> references >> use >> flags >>
        device;
    // A default route on the loopback leads nowhere, so it is left out.
    const bool any = length == "00" && to.find_first_not_of('0') == std::string::npos;
    if (!any || device.empty() || device == "lo") continue;
    devices.emplace(std::pair(true, std::strtoul(metric.c_str(), nullptr, 16)), device);
  }
  std::vector<DefaultRoute> all;
  for (const auto& [order, device] : devices) all.push_back({device, order.first});
  return all;
}

std::string BestAddress(const std::vector<NodeInterface>& interfaces) {
  for (const bool ipv6 : {false, true}) {
    for (const NodeInterface& of : interfaces) {
      for (const NodeInterface::Address& address : of.addresses) {
        if (address.leads_out && address.ipv6 == ipv6) return address.text;
      }
    }
  }
  return "127.0.0.1";
}

Result<std::string> AddressOf(const std::vector<NodeInterface>& interfaces,
                              const std::string& wanted) {
  std::string known;
  for (const NodeInterface& of : interfaces) {
    if (of.device == wanted) return of.addresses.front().text;
    known += (known.empty() ? "" : ", ") + of.device;
    for (const NodeInterface::Address& address : of.addresses) {
      if (address.text == wanted) return wanted;
      known += " " + address.text;
    }
  }
  return Error(Code::kInvalidArgument, "this machine has no interface and no address \"" + wanted +
                                           "\": it has " + (known.empty() ? "none" : known));
}

}  // namespace drover
