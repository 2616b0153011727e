// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "engine/tls_connection.h"

namespace drover_docker {
namespace {

using std::chrono::steady_clock;

[[noreturn]] void ThrowUnreachable(const EngineAddress& address, const std::string& why) {
  throw drover::Error(drover::Code::kUnavailable,
                      "the container engine at " + address.Text() + " cannot be reached: " + why,
                      true);
}
[[noreturn]] void ThrowUnreachable(const EngineAddress& address, int error) {
  ThrowUnreachable(address, std::strerror(error));
}
[[noreturn]] void ThrowConnectTimeout(const EngineAddress& address) {
  throw drover::Error(drover::Code::kTimeout,
                      "the container engine at " + address.Text() + " accepts no connection", true);
}

class PlainConnection : public Connection {
 public:
  PlainConnection(drover::Fd fd, std::string address)
      : fd_(std::move(fd)), address_(std::move(address)) {}

  IoResult Read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::recv(fd_.get(), to, size, 0);
      if (got > 0) return {Io::kDone, static_cast<std::size_t>(got)};
      if (got == 0) return {Io::kEnd, 0};
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return {Io::kWantRead, 0};
      ThrowBroken();
    }
  }
  IoResult Write(std::string_view bytes) override {
    for (;;) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) return {Io::kDone, static_cast<std::size_t>(sent)};
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return {Io::kWantWrite, 0};
      ThrowBroken();
    }
  }
  void CloseWrite() override { ::shutdown(fd_.get(), SHUT_WR); }
  bool pending() const override { return false; }
  int fd() const override { return fd_.get(); }

 private:
  [[noreturn]] void ThrowBroken() const {
    throw drover::Error(
        drover::Code::kUnavailable,
        "the connection to the container engine at " + address_ + " broke: " + std::strerror(errno),
        true);
  }

  const drover::Fd fd_;
  const std::string address_;
};

// Connects SOCKET. Returns 0, or the error.
int ConnectSocket(const drover::Fd& socket, const sockaddr* to, socklen_t size,
                  const EngineAddress& address, SteadyTime deadline, const CancelToken& cancel,
                  const CancelToken* second) {
  for (;;) {
    if (::connect(socket.get(), to, size) == 0 || errno == EISCONN) return 0;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {  // the engine has not accepted those that connected before
      const auto pause = steady_clock::now() + std::chrono::milliseconds(20);
      WaitFor(-1, 0, std::min(deadline, pause), cancel, second);
      if (steady_clock::now() >= deadline) ThrowConnectTimeout(address);
      continue;
    }
    if (errno != EINPROGRESS) return errno;
    if (WaitFor(socket.get(), POLLOUT, deadline, cancel, second) == 0) ThrowConnectTimeout(address);
    int error = 0;
    socklen_t error_size = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &error_size);
    return error;
  }
}

drover::Fd NewSocket(int family, const EngineAddress& address) {
  drover::Fd out(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!out.ok()) ThrowUnreachable(address, errno);
  return out;
}

drover::Fd ConnectUnix(const EngineAddress& address, SteadyTime deadline, const CancelToken& cancel,
                       const CancelToken* second) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof to.sun_path) ThrowUnreachable(address, ENAMETOOLONG);
  std::memcpy(to.sun_path, address.path.data(), address.path.size());
  drover::Fd out = NewSocket(AF_UNIX, address);
  const int error = ConnectSocket(out, reinterpret_cast<const sockaddr*>(&to), sizeof to, address,
                                  deadline, cancel, second);
  if (error != 0) ThrowUnreachable(address, error);
  return out;
}

// A half of a connection whose other half has vanished must be noticed, also without traffic.
void SetTcpOptions(const drover::Fd& socket) {
  const auto set = [&](int level, int name, int value) {
    ::setsockopt(socket.get(), level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// The resolver of the C library has limits of its own, and cannot be cancelled.
drover::Fd ConnectTcp(const EngineAddress& address, SteadyTime deadline, const CancelToken& cancel,
                      const CancelToken* second) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) ThrowUnreachable(address, ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    drover::Fd out = NewSocket(at->ai_family, address);
    error = ConnectSocket(out, at->ai_addr, at->ai_addrlen, address, deadline, cancel, second);
    if (error != 0) continue;
    SetTcpOptions(out);
    return out;
  }
  ThrowUnreachable(address, error);
}

}  // namespace

SteadyTime DeadlineAfter(drover::Duration after) {
  // Above it a sum could overflow.
  constexpr drover::Duration kForever = std::chrono::hours(24 * 365 * 10);
  if (after == drover::Duration(0) || after > kForever) return SteadyTime::max();
  return steady_clock::now() + after;
}

short WaitFor(int fd, short events, SteadyTime deadline, const CancelToken& cancel,
              const CancelToken* second) {
  for (;;) {
    cancel.Check();
    if (second != nullptr) second->Check();
    const SteadyTime now = steady_clock::now();
    if (now >= deadline) return 0;
    constexpr std::chrono::milliseconds kLongest(60000);
    int wait = static_cast<int>(kLongest.count());
    if (deadline - now < kLongest) {
      wait = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count());
    }
    pollfd fds[3] = {{fd, events, 0},
                     {cancel.fd(), POLLIN, 0},
                     {second == nullptr ? -1 : second->fd(), POLLIN, 0}};
    const int ready = ::poll(fds, 3, wait);
    if (ready < 0 && errno != EINTR) {
      throw drover::Error(drover::Code::kInternal, std::string("poll: ") + std::strerror(errno));
    }
    if (ready > 0 && fds[0].revents != 0) return fds[0].revents;
  }
}

std::unique_ptr<Connection> Connection::Open(const EngineAddress& address, SteadyTime deadline,
                                             const CancelToken& cancel, const CancelToken* second) {
  if (!address.path.empty()) {
    return std::make_unique<PlainConnection>(ConnectUnix(address, deadline, cancel, second),
                                             address.Text());
  }
  drover::Fd socket = ConnectTcp(address, deadline, cancel, second);
  if (address.tls.empty()) {
    return std::make_unique<PlainConnection>(std::move(socket), address.Text());
  }
  return OpenTls(std::move(socket), address, deadline, cancel, second);
}

}  // namespace drover_docker
