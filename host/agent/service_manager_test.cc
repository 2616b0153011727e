// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/service_manager.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

class ServiceManagerTest : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("NOTIFY_SOCKET"); }

  // Listens as systemd does at NAME, whose first character is '@' for an abstract address.
  void Listen(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(name.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    socket_ = UniqueFd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  // The received state. A datagram has arrived once it has been sent.
  std::string Received() const {
    char text[256];
    const ssize_t size = recv(socket_.get(), text, sizeof text, 0);
    return size < 0 ? "nothing" : std::string(text, static_cast<std::size_t>(size));
  }

  UniqueFd socket_;
};

TEST_F(ServiceManagerTest, WithoutAManagerNothingHappens) {
  unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(NotifyServiceManager("READY=1").ok());
}

TEST_F(ServiceManagerTest, AStateArrivesAtAPath) {
  const DirectoryForTest directory;
  Listen(directory.path() + "/notify");
  const Status notified = NotifyServiceManager("READY=1");
  ASSERT_TRUE(notified.ok()) << notified.error().message();
  EXPECT_EQ(Received(), "READY=1");
}

TEST_F(ServiceManagerTest, AStateArrivesAtAnAbstractAddress) {
  Listen("@drover-test-" + std::to_string(getpid()));
  const Status notified = NotifyServiceManager(ReloadingState());
  ASSERT_TRUE(notified.ok()) << notified.error().message();
  EXPECT_EQ(Received().substr(0, 27), "RELOADING=1\nMONOTONIC_USEC=");
}

TEST_F(ServiceManagerTest, WhatIsNoSocketIsAnError) {
  for (const std::string& name : {std::string("relative/path"), std::string("/nonexistent/socket"),
                                  "/" + std::string(200, 'x'), std::string("@no-such-listener")}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    const Status notified = NotifyServiceManager("READY=1");
    ASSERT_FALSE(notified.ok()) << name;
    EXPECT_EQ(notified.error().message().find("NOTIFY_SOCKET " + name), 0u)
        << notified.error().message();
  }
}

}  // namespace
}  // namespace drover
