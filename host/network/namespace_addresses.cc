// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/namespace_addresses.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "host/network/neighbor_frames.h"

namespace drover {
namespace {

using nlohmann::json;

// An address of an interface, in the form in which the kernel has it, so that two texts of one
// address are equal.
struct FoundAddress {
  std::string bytes;
  int prefix = 0;

  bool ipv6() const { return bytes.size() == sizeof(in6_addr); }
  std::string Text() const {
    char text[INET6_ADDRSTRLEN];
    inet_ntop(ipv6() ? AF_INET6 : AF_INET, bytes.data(), text, sizeof text);
    return std::string(text) + "/" + std::to_string(prefix);
  }
};

// Returns the bytes of an IP address; empty for an address of another kind.
std::string BytesOf(const sockaddr* from) {
  if (from == nullptr) return "";
  if (from->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(from);
    return std::string(reinterpret_cast<const char*>(&four->sin_addr), sizeof four->sin_addr);
  }
  if (from->sa_family != AF_INET6) return "";
  const auto* six = reinterpret_cast<const sockaddr_in6*>(from);
  if (IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)) return "";
  return std::string(reinterpret_cast<const char*>(&six->sin6_addr), sizeof six->sin6_addr);
}

using FoundAddresses = std::vector<FoundAddress>;

// Returns the addresses of the interface NAME. The calling thread stays in the namespace.
Result<FoundAddresses> EnterAndList(int network_namespace, const std::string& name) {
  if (setns(network_namespace, CLONE_NEWNET) != 0)
    return ErrnoError(errno, "cannot enter the network namespace of the allocation");
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0)
    return ErrnoError(errno, "cannot list the addresses of the allocation");
  FoundAddresses found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (name != one->ifa_name) continue;
    FoundAddress address{BytesOf(one->ifa_addr), 0};
    if (address.bytes.empty()) continue;
    for (const unsigned char byte : BytesOf(one->ifa_netmask))
      address.prefix += std::popcount(byte);
    found.push_back(std::move(address));
  }
  freeifaddrs(first);
  return found;
}

// Only a thread of its own can enter the namespace, and ends there.
Result<FoundAddresses> ListAddresses(const UniqueFd& network_namespace, const std::string& name) {
  Result<FoundAddresses> found = Error(Code::kInternal, "");
  try {
    std::thread([&] { found = EnterAndList(network_namespace.get(), name); }).join();
  } catch (const std::system_error& error) {
    return ErrnoError(error.code().value(), "cannot start a thread that enters a namespace");
  }
  return found;
}

}  // namespace

Status CheckAddresses(const UniqueFd& network_namespace, const AllocationNetwork& network) {
  DROVER_ASSIGN(const FoundAddresses found,
                ListAddresses(network_namespace, network.interface_name));
  for (const std::string& address : {network.address, network.address_ipv6}) {
    if (address.empty()) continue;
    const std::string bytes = AddressBytes(address);
    if (std::ranges::count(found, bytes, &FoundAddress::bytes) > 0) continue;
    return Error(Code::kUnavailable, "its CNI plugins report the address " + address +
                                         ", but the interface " + network.interface_name +
                                         " in its network namespace has no such address");
  }
  return {};
}

bool HasProcess(const UniqueFd& network_namespace) {
  struct stat wanted{};
  if (fstat(network_namespace.get(), &wanted) != 0) return true;  // it cannot be found out
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), closedir);
  if (!processes) return true;
  while (const dirent* const entry = readdir(processes.get())) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    struct stat its{};
    const std::string file = "/proc/" + std::string(entry->d_name) + "/ns/net";
    if (stat(file.c_str(), &its) != 0) continue;  // it has ended
    if (its.st_ino == wanted.st_ino && its.st_dev == wanted.st_dev) return true;
  }
  return false;
}

json FoundResult(const UniqueFd& network_namespace, const std::string& path,
                 const std::string& name, const std::string& version) {
  const Result<FoundAddresses> found = ListAddresses(network_namespace, name);
  if (!found.ok() || found->empty()) return nullptr;
  json ips = json::array();
  for (const FoundAddress& address : *found) {
    json ip = {{"address", address.Text()}, {"interface", 0}};
    // The versions from 1.0.0 on do not have this field.
    if (version.starts_with("0.")) ip["version"] = address.ipv6() ? "6" : "4";
    ips.push_back(std::move(ip));
  }
  json inside = {{"name", name}, {"sandbox", path}};
  json interfaces = json::array();
  interfaces.push_back(std::move(inside));
  return {{"cniVersion", version}, {"interfaces", std::move(interfaces)}, {"ips", std::move(ips)}};
}

}  // namespace drover
