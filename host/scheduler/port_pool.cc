// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <sys/socket.h>

#include <random>

#include "host/base/unique_fd.h"
#include "host/scheduler/placement.h"

namespace drover {
namespace {

// Nothing listens on PORT at any IPv4 address of this machine. Of listeners with an IPv6 address
// only those are seen that take IPv4 connections, too ("::").
bool IsFree(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  // A connection that lingers after its server has ended does not take the port.
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

class MachinePortPool : public PortPool {
 public:
  Result<int> TakeDynamic() override {
    // From a random start, so that a port is not given again at once.
    const int count = kLast - kFirst + 1;
    const int start = static_cast<int>(random_() % static_cast<unsigned>(count));
    for (int i = 0; i < count; ++i) {
      const int port = kFirst + (start + i) % count;
      if (taken_.count(port) == 0 && IsFree(port)) {
        taken_.insert(port);
        return port;
      }
    }
    return Error(Code::kResourceExhausted, "no free port between " + std::to_string(kFirst) +
                                               " and " + std::to_string(kLast));
  }

  Status TakeStatic(int port) override {
    if (taken_.count(port) > 0 || !IsFree(port)) {
      return Error(Code::kFailedPrecondition,
                   "port " + std::to_string(port) + " is taken on this machine");
    }
    taken_.insert(port);
    return {};
  }

  void Release(int port) override { taken_.erase(port); }
  void Keep(int port) override { taken_.insert(port); }

 private:
  std::set<int> taken_;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace

std::unique_ptr<PortPool> NewPortPool() { return std::make_unique<MachinePortPool>(); }

}  // namespace drover
