// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_connect.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace drover {
namespace {

// A socket that is bound to a free port of this machine, and that address.
class Bound {
 public:
  Bound() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(bind(fd_.get(), address(), size), 0);
    EXPECT_EQ(getsockname(fd_.get(), address(), &size), 0);
  }

  int fd() const { return fd_.get(); }
  int port() const { return ntohs(address_.sin_port); }
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&address_); }
  socklen_t size() const { return sizeof address_; }

 private:
  UniqueFd fd_;
  sockaddr_in address_{};
};

Result<UniqueFd> Connect(int port) {
  RealLoop loop;
  Result<UniqueFd> connected = Error(Code::kInternal, "not tried");
  auto connect = [](Loop* on, int to, Result<UniqueFd>* out) -> Co<void> {
    const Context context(on);
    *out = co_await ConnectForCheck(context, "127.0.0.1", to);
  };
  EXPECT_TRUE(loop.RunToEnd(connect(&loop, port, &connected), 10s));
  return connected;
}

TEST(CheckConnectTest, AConnectionToItselfIsNoAnswer) {
  Bound alone;
  ASSERT_EQ(connect(alone.fd(), alone.address(), alone.size()), 0) << "the kernel allows it";
  EXPECT_TRUE(ConnectedToItself(alone.fd()));
}

TEST(CheckConnectTest, AServerIsAnotherSocket) {
  Bound server;
  EXPECT_EQ(Connect(server.port()).code(), Code::kUnavailable) << "it does not listen";
  ASSERT_EQ(listen(server.fd(), 10), 0);
  const Result<UniqueFd> client = Connect(server.port());
  ASSERT_TRUE(client.ok()) << client.error().message();
  EXPECT_FALSE(ConnectedToItself(client->get()));
  const UniqueFd accepted(accept4(server.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_TRUE(accepted.valid());
}

}  // namespace
}  // namespace drover
