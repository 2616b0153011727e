// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_connect.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

#include "host/base/open_fds_for_test.h"
#include "host/checks/name_lookups.h"

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

Result<UniqueFd> Connect(int port, Duration limit = 5s) {
  RealLoop loop;
  Result<UniqueFd> connected = Error(Code::kInternal, "not tried");
  auto connect = [](Loop* on, int to, Duration most, Result<UniqueFd>* out) -> Co<void> {
    const Context whole(on);
    const Context context = whole.WithTimeout(most);
    NameLookups names;
    *out = co_await ConnectForCheck(context, &names, "alloc", "127.0.0.1", to);
  };
  EXPECT_TRUE(loop.RunToEnd(connect(&loop, port, limit, &connected), 10s));
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

TEST(CheckConnectTest, AnAttemptThatEndsLeavesNoDescriptor) {
  Bound full;
  ASSERT_EQ(listen(full.fd(), 0), 0);
  std::vector<UniqueFd> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    (void)connect(waiting.back().get(), full.address(), full.size());
  }
  const long before = OpenFds();
  EXPECT_EQ(Connect(full.port(), 50ms).code(), Code::kTimeout);
  EXPECT_EQ(OpenFds(), before);
}

}  // namespace
}  // namespace drover
