// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/unique_fd.h"
#include "host/http/http_server.h"

namespace drover {

// A server for tests, on any port.
inline std::unique_ptr<HttpServer> StartTestServer(HttpServerOptions options, HttpHandler handler) {
  options.port = 0;
  auto server = HttpServer::Start(std::move(options), std::move(handler));
  if (server.ok()) return std::move(*server);
  ADD_FAILURE() << server.error().message();
  return nullptr;
}

// A client for tests: a socket that sends exactly the given bytes. Blocks, at most 20 s.
class HttpTestClient {
 public:
  explicit HttpTestClient(int port, int receive_buffer = 0) {
    fd_.Reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{20, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int at_once = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    if (receive_buffer > 0) {
      setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    EXPECT_TRUE(connected_);
  }

  // Connects to the Unix socket PATH.
  explicit HttpTestClient(const std::string& path) {
    fd_.Reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{20, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ =
        connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }

  // Returns false when the server has closed the connection.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void ShutdownSend() { shutdown(fd_.get(), SHUT_WR); }
  void Close() { fd_.Reset(); }
  // For callers that use the socket by other means from now on.
  int fd() const { return fd_.get(); }

  // The next bytes; empty at the end (or after 20 s).
  std::string ReadSome() {
    if (!left_.empty()) return std::exchange(left_, "");
    std::string block(64 << 10, '\0');
    const ssize_t size = recv(fd_.get(), block.data(), block.size(), 0);
    block.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return block;
  }
  // All bytes until the server closes.
  std::string ReadAll() {
    std::string all;
    for (std::string some = ReadSome(); !some.empty(); some = ReadSome()) all += some;
    return all;
  }
  // The bytes up to and including TEXT.
  std::string ReadUntil(std::string_view text) {
    std::string all;
    while (all.find(text) == all.npos) {
      const std::string some = ReadSome();
      if (some.empty()) {
        ADD_FAILURE() << "the answer ended before '" << text << "': " << all;
        return all;
      }
      all += some;
    }
    const std::size_t end = all.find(text) + text.size();
    left_ = all.substr(end) + left_;
    return all.substr(0, end);
  }

  struct Answer {
    int status = 0;
    std::string head;
    std::string body;
    bool Has(std::string_view text) const { return head.find(text) != head.npos; }
  };
  // Reads one answer with Content-Length, or a chunked one; without BODY, such as for HEAD, only
  // its head.
  Answer ReadAnswer(bool body = true) {
    Answer answer;
    answer.head = ReadUntil("\r\n\r\n");
    if (answer.head.size() > 12) answer.status = std::atoi(answer.head.c_str() + 9);
    if (!body) return answer;
    if (const std::size_t at = answer.head.find("Content-Length: "); at != answer.head.npos) {
      answer.body = ReadExactly(std::strtoul(answer.head.c_str() + at + 16, nullptr, 10));
    } else if (answer.Has("Transfer-Encoding: chunked")) {
      for (;;) {
        const std::size_t size = std::strtoul(ReadUntil("\r\n").c_str(), nullptr, 16);
        answer.body += ReadExactly(size);
        EXPECT_EQ(ReadExactly(2), "\r\n");
        if (size == 0) break;
      }
    }
    return answer;
  }

  std::string ReadExactly(std::size_t size) {
    std::string all;
    while (all.size() < size) {
      const std::string some = ReadSome();
      if (some.empty()) {
        ADD_FAILURE() << "the answer ended after " << all.size() << " of " << size << " bytes";
        return all;
      }
      all += some;
    }
    left_ = all.substr(size) + left_;
    all.resize(size);
    return all;
  }

 private:
  UniqueFd fd_;
  bool connected_ = false;
  std::string left_;
};

}  // namespace drover
