// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "host/base/unique_fd.h"

namespace drover {

// One connection of a ScriptedServer. Blocks.
class ScriptedPeer {
 public:
  explicit ScriptedPeer(int fd) : fd_(fd) {}

  // The bytes up to and including TEXT; fewer when the client has gone.
  std::string ReadUntil(std::string_view text) {
    while (in_.find(text) == in_.npos && Fill()) {
    }
    return Take(in_.find(text) == in_.npos ? in_.size() : in_.find(text) + text.size());
  }
  std::string ReadExactly(std::size_t size) {
    while (in_.size() < size && Fill()) {
    }
    return Take(std::min(size, in_.size()));
  }
  std::string ReadHead() { return ReadUntil("\r\n\r\n"); }
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Answers with a whole body.
  bool Reply(const std::string& body, const std::string& headers = "") {
    return Send("HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
  }
  // For a test that speaks through the socket by other means.
  int fd() const { return fd_; }
  // Returns when the client has closed.
  void ReadToEnd() {
    while (Fill()) {
    }
  }

 private:
  bool Fill() {
    char block[4096];
    const ssize_t size = recv(fd_, block, sizeof block, 0);
    if (size > 0) in_.append(block, static_cast<std::size_t>(size));
    return size > 0;
  }
  std::string Take(std::size_t size) {
    std::string taken = in_.substr(0, size);
    in_.erase(0, size);
    return taken;
  }

  const int fd_;
  std::string in_;
};

// A server on loopback that does what a test wants: SERVE gets each connection, one after the
// other, on a thread of the server, and the number of those before it. When it returns, the
// connection is closed.
class ScriptedServer {
 public:
  using Serve = std::function<void(ScriptedPeer* peer, int number)>;

  explicit ScriptedServer(Serve serve) : serve_(std::move(serve)) {
    listener_.Reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), any, size), 0);
    EXPECT_EQ(listen(listener_.get(), 64), 0);
    EXPECT_EQ(getsockname(listener_.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  // The last connection must have ended, or end with its client.
  ~ScriptedServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  void Run() {
    while (true) {
      const UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) return;
      ScriptedPeer peer(fd.get());
      serve_(&peer, connections_++);
    }
  }

  const Serve serve_;
  UniqueFd listener_;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace drover
