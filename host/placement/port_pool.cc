// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "host/base/unique_fd.h"
#include "host/placement/placement.h"

namespace drover {
namespace {

constexpr char kAny[] = "0.0.0.0";

// Returns whether PORT of ADDRESS is free. It is not free if a socket listens on PORT, either on
// ADDRESS or on all addresses. For an IPv4 ADDRESS, an IPv6 listener ("::") is found only if it
// accepts IPv4 connections, too.
bool IsFree(const std::string& address, int port) {
  sockaddr_in at{};
  sockaddr_in6 at6{};
  const bool ipv6 = inet_pton(AF_INET6, address.c_str(), &at6.sin6_addr) == 1;
  if (!ipv6 && inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1) return false;
  UniqueFd fd(socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  // After a server has closed PORT, old connections to it may last for some time. With
  // SO_REUSEADDR, such connections do not make bind fail.
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  at.sin_family = AF_INET;
  at6.sin6_family = AF_INET6;
  at.sin_port = at6.sin6_port = htons(static_cast<std::uint16_t>(port));
  return ipv6 ? bind(fd.get(), reinterpret_cast<sockaddr*>(&at6), sizeof at6) == 0
              : bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
}

bool IsIpv6(const std::string& address) { return address.find(':') != std::string::npos; }

Status Taken(int port) {
  return Error(Code::kFailedPrecondition,
               "port " + std::to_string(port) + " is taken on this machine");
}

class MachinePortPool : public PortPool {
 public:
  explicit MachinePortPool(PortPoolOptions options) : options_(std::move(options)) {}

  const std::string& address() const override { return options_.address; }
  const std::vector<std::string>* AddressesOf(const std::string& name) const override {
    const auto found = options_.host_networks.find(name);
    return found == options_.host_networks.end() ? nullptr : &found->second;
  }

  // Takes a port that is free on all IPv4 addresses, since many tasks listen on all addresses. If
  // ADDRESS is an IPv6 address, the port is free on ADDRESS, too.
  Result<int> TakeDynamic(const std::string& address) override {
    // Starts at a random port, so that a released port is not taken again at once.
    const int count = options_.last - options_.first + 1;
    const int start = static_cast<int>(random_() % static_cast<unsigned>(count));
    for (int i = 0; i < count; ++i) {
      const int port = options_.first + (start + i) % count;
      const bool free = taken_.count(port) == 0 && !IsReserved(address, port) &&
                        IsFree(kAny, port) && (!IsIpv6(address) || IsFree(address, port));
      if (free) {
        taken_[port].insert(address);
        return port;
      }
    }
    return Error(Code::kResourceExhausted, "no free port between " +
                                               std::to_string(options_.first) + " and " +
                                               std::to_string(options_.last));
  }

  Status CheckStatic(const std::string& address, int port) override {
    DROVER_TRY(CheckOwn(address, port));
    return IsFree(address, port) ? Status() : Taken(port);
  }

  Status CheckOwn(const std::string& address, int port) override {
    if (IsReserved(address, port)) {
      return Error(Code::kFailedPrecondition,
                   "port " + std::to_string(port) + " is reserved: no task of this node gets it");
    }
    const auto taken = taken_.find(port);
    const bool ours =
        taken != taken_.end() &&
        (address == kAny || taken->second.count(address) > 0 || taken->second.count(kAny) > 0);
    return ours ? Taken(port) : Status();
  }

  Status TakeStatic(const std::string& address, int port) override {
    DROVER_TRY(CheckStatic(address, port));
    taken_[port].insert(address);
    return {};
  }

  void Release(const std::string& address, int port) override {
    const auto taken = taken_.find(port);
    if (taken == taken_.end()) return;
    taken->second.erase(address);
    if (taken->second.empty()) taken_.erase(taken);
  }
  void Keep(const std::string& address, int port) override { taken_[port].insert(address); }

 private:
  bool IsReserved(const std::string& address, int port) const {
    const auto own = options_.reserved_of.find(address);
    return options_.reserved.contains(port) ||
           (own != options_.reserved_of.end() && own->second.contains(port));
  }

  const PortPoolOptions options_;
  std::map<int, std::set<std::string>> taken_;  // the addresses on which each port is taken
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace

std::unique_ptr<PortPool> NewPortPool(PortPoolOptions options) {
  return std::make_unique<MachinePortPool>(std::move(options));
}

std::unique_ptr<PortPool> NewPortPool(std::string address) {
  PortPoolOptions options;
  options.address = std::move(address);
  return NewPortPool(std::move(options));
}

}  // namespace drover
