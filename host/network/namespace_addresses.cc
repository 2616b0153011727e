// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/namespace_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sched.h>

#include <cerrno>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace drover {
namespace {

// An address in the form in which the kernel has it, so that two texts of one address are equal.
std::string Binary(const std::string& text) {
  in6_addr raw{};
  const bool six = text.find(':') != std::string::npos;
  if (inet_pton(six ? AF_INET6 : AF_INET, text.c_str(), &raw) != 1) return "";
  return std::string(reinterpret_cast<const char*>(&raw), six ? sizeof(in6_addr) : sizeof(in_addr));
}

std::string Binary(const sockaddr* from) {
  if (from == nullptr) return "";
  if (from->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(from);
    return std::string(reinterpret_cast<const char*>(&four->sin_addr), sizeof four->sin_addr);
  }
  if (from->sa_family != AF_INET6) return "";
  const auto* six = reinterpret_cast<const sockaddr_in6*>(from);
  return std::string(reinterpret_cast<const char*>(&six->sin6_addr), sizeof six->sin6_addr);
}

// Returns the addresses of the interface NAME. The calling thread stays in the namespace.
Result<std::set<std::string>> EnterAndList(int network_namespace, const std::string& name) {
  if (setns(network_namespace, CLONE_NEWNET) != 0)
    return ErrnoError(errno, "cannot enter the network namespace of the allocation");
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0)
    return ErrnoError(errno, "cannot list the addresses of the allocation");
  std::set<std::string> found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (name == one->ifa_name) found.insert(Binary(one->ifa_addr));
  }
  freeifaddrs(first);
  return found;
}

}  // namespace

Status CheckAddresses(const UniqueFd& network_namespace, const AllocationNetwork& network) {
  Result<std::set<std::string>> found = Error(Code::kInternal, "");
  // Only a thread of its own can enter the namespace and end there.
  try {
    std::thread([&] {
      found = EnterAndList(network_namespace.get(), network.interface_name);
    }).join();
  } catch (const std::system_error& error) {
    return ErrnoError(error.code().value(), "cannot start a thread that enters a namespace");
  }
  if (!found.ok()) return found.error();
  for (const std::string& address : {network.address, network.address_ipv6}) {
    if (address.empty() || found->contains(Binary(address))) continue;
    return Error(Code::kUnavailable, "its CNI plugins report the address " + address +
                                         ", but the interface " + network.interface_name +
                                         " in its network namespace has no such address");
  }
  return {};
}

}  // namespace drover
