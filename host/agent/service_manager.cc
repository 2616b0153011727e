// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/service_manager.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/base/unique_fd.h"

namespace drover {

Status NotifyServiceManager(const std::string& state) {
  const char* const given = std::getenv("NOTIFY_SOCKET");
  const std::string_view name = given != nullptr ? given : "";
  if (name.empty()) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string what = "NOTIFY_SOCKET " + std::string(name);
  if ((name[0] != '/' && name[0] != '@') || name.size() >= sizeof address.sun_path) {
    return Error(Code::kInvalidArgument, what + ": is not the address of a unix socket");
  }
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';  // in an abstract address, NUL replaces the @
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return ErrnoError(errno, what);
  // The send blocks until the manager accepts the state. The timeout keeps a manager that hangs
  // from blocking the agent for longer than a second.
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address), size) < 0) {
    return ErrnoError(errno, what);
  }
  return {};
}

void NotifyOrWarn(const std::string& state) {
  const Status notified = NotifyServiceManager(state);
  if (notified.ok()) return;
  spdlog::warn("the service manager was not notified: {}", notified.error().message());
}

std::string ReloadingState() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // the manager compares the time with its own clock
  return "RELOADING=1\nMONOTONIC_USEC=" +
         std::to_string(now.tv_sec * 1'000'000 + now.tv_nsec / 1000);
}

}  // namespace drover
