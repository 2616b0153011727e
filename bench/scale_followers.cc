// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/scale_followers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "host/base/result.h"

namespace drover::bench {
namespace {

constexpr char kWanted[] = "HTTP/1.1 200";
constexpr int kLookAgainMs = 20;
constexpr int kAtOnce = 1024;
constexpr std::size_t kMost = std::size_t{1} << 20;  // of one follower at a time

int Connect(const std::string& address, const std::string& query) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  DROVER_CHECK(socket >= 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port =
      htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1)));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  DROVER_CHECK(connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  const std::string request =
      "GET /v1/event/stream" + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  DROVER_CHECK(write(socket, request.data(), request.size()) ==
               static_cast<ssize_t>(request.size()));
  char head[sizeof kWanted] = {};
  DROVER_CHECK(recv(socket, head, sizeof kWanted - 1, MSG_WAITALL) == sizeof kWanted - 1);
  if (std::strcmp(head, kWanted) != 0) {
    std::fprintf(stderr, "the agent turns a follower away: %s\n", head);
    std::abort();
  }
  return socket;
}

}  // namespace

Followers::Followers(const std::string& address, const std::string& query, int count,
                     std::function<void(std::string_view)> take)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), buffer_(kMost), take_(std::move(take)) {
  DROVER_CHECK(epoll_ >= 0);
  for (int i = 0; i < count; ++i) {
    sockets_.push_back(Connect(address, query));
    epoll_event event = {.events = EPOLLIN, .data = {.fd = sockets_.back()}};
    DROVER_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, sockets_.back(), &event) == 0);
  }
  reading_ = std::thread([this] { Read(); });
}

Followers::~Followers() {
  over_ = true;
  reading_.join();
  for (const int socket : sockets_) close(socket);
  close(epoll_);
}

double Followers::CpuSeconds() const {
  clockid_t clock = 0;
  timespec time = {};
  DROVER_CHECK(pthread_getcpuclockid(const_cast<std::thread&>(reading_).native_handle(), &clock) ==
               0);
  DROVER_CHECK(clock_gettime(clock, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void Followers::Read() {
  std::vector<epoll_event> ready(kAtOnce);
  while (!over_) {
    const int count = epoll_wait(epoll_, ready.data(), kAtOnce, kLookAgainMs);
    for (int i = 0; i < count; ++i) ReadOne(ready[static_cast<std::size_t>(i)].data.fd);
  }
}

void Followers::ReadOne(int socket) {
  // With MSG_TRUNC on TCP, the kernel drops the bytes instead of copying them.
  const int flags = MSG_DONTWAIT | (take_ ? 0 : MSG_TRUNC);
  const ssize_t n = recv(socket, buffer_.data(), kMost, flags);
  if (n > 0) {
    bytes_ += static_cast<std::uint64_t>(n);
    if (take_) take_({buffer_.data(), static_cast<std::size_t>(n)});
  } else if (n == 0) {
    ++closed_;
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
  }
}

}  // namespace drover::bench
