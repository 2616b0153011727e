// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The attach protocol as its header promises it, spoken by hand, and messages that break it.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <random>

#include "host/process/process_test_fixture.h"
#include "host/process/shim_connection.h"

namespace drover {
namespace {

class ShimProtocolTest : public ProcessFixture {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    run_ = MustStart(Shell("exec sleep 1000"));
    Connect();
  }
  void TearDown() override {
    socket_.Reset();
    ProcessFixture::TearDown();
  }

  void Connect() {
    socket_ = UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = directory_ + "/run/" + run_.Short() + ".sock";
    std::memcpy(address.sun_path, path.data(), path.size());
    ASSERT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  bool Send(const ShimConnection::Bytes& bytes) {
    return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
  }
  // The next message; empty: the shim has closed, or has sent nothing for two seconds.
  ShimConnection::Bytes Receive() {
    pollfd ready{socket_.get(), POLLIN, 0};
    if (poll(&ready, 1, 2000) != 1) return {};
    ShimConnection::Bytes bytes(DROVER_ATTACH_MAX);
    const ssize_t n = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(n > 0 ? std::size_t(n) : 0);
    return bytes;
  }
  void Greet() {
    drover_attach_hello hello{};
    hello.version = DROVER_ATTACH_VERSION;
    ASSERT_TRUE(Send(ShimConnection::Message(hello, DROVER_ATTACH_HELLO)));
    ASSERT_EQ(MessageAs<drover_attach_header>(Receive()).type, DROVER_ATTACH_HELLO_REPLY);
  }
  // The errno of the RESULT that answers BYTES.
  int Refusal(const ShimConnection::Bytes& bytes) {
    if (!Send(bytes)) return -1;
    const auto result = MessageAs<drover_attach_result>(Receive());
    return result.header.type == DROVER_ATTACH_RESULT ? result.error : -2;
  }
  template <typename T>
  ShimConnection::Bytes Message(T fixed, std::uint16_t type, std::uint32_t session = 0,
                                std::string_view tail = "") {
    return ShimConnection::Message(fixed, type, session, tail);
  }

  RunId run_;
  UniqueFd socket_;
};

TEST_F(ShimProtocolTest, HelloComesFirstAndNamesTheRun) {
  EXPECT_EQ(Refusal(Message(drover_attach_header{}, DROVER_ATTACH_STATE)), ENOTCONN);
  drover_attach_hello hello{};
  hello.version = DROVER_ATTACH_VERSION + 1;
  EXPECT_EQ(Refusal(Message(hello, DROVER_ATTACH_HELLO)), EPROTO);
  hello.version = DROVER_ATTACH_VERSION;
  hello.header.request = 77;
  ASSERT_TRUE(Send(Message(hello, DROVER_ATTACH_HELLO)));
  const auto reply = MessageAs<drover_attach_hello_reply>(Receive());
  EXPECT_EQ(reply.header.type, DROVER_ATTACH_HELLO_REPLY);
  EXPECT_EQ(reply.header.request, 77u);
  EXPECT_EQ(std::memcmp(reply.run_id, run_.bytes.data(), 16), 0);
  EXPECT_GT(reply.pid, 0);
  EXPECT_GT(reply.started_at, 0);
}

TEST_F(ShimProtocolTest, WhatIsNotARequestIsRefusedWithAnAnswer) {
  Greet();
  EXPECT_EQ(Refusal({'x'}), EBADMSG);
  EXPECT_EQ(Refusal(ShimConnection::Bytes(16)), EBADMSG);
  EXPECT_EQ(Refusal(ShimConnection::Bytes(60000, '\xff')), EBADMSG);
  EXPECT_EQ(Refusal(Message(drover_attach_header{}, 9999)), ENOSYS);
  EXPECT_EQ(Refusal(Message(drover_attach_header{}, DROVER_ATTACH_SIGNAL)), EBADMSG);
  ShimConnection::Bytes lying = Message(drover_attach_header{}, DROVER_ATTACH_STATE);
  lying[0] = 17;
  EXPECT_EQ(Refusal(lying), EBADMSG);
  drover_attach_signal signal{};
  signal.signal_number = 65;
  EXPECT_EQ(Refusal(Message(signal, DROVER_ATTACH_SIGNAL)), EINVAL);
  signal.signal_number = -9;
  EXPECT_EQ(Refusal(Message(signal, DROVER_ATTACH_SIGNAL)), EINVAL);
  signal.signal_number = SIGWINCH;
  signal.scope = 7;
  EXPECT_EQ(Refusal(Message(signal, DROVER_ATTACH_SIGNAL)), EINVAL);
  EXPECT_EQ(Refusal(Message(drover_attach_resize{}, DROVER_ATTACH_RESIZE, 5)), ESRCH);
  EXPECT_EQ(Refusal(Message(signal, DROVER_ATTACH_SESSION_SIGNAL, 5)), ESRCH);
  // The shim still works.
  signal.scope = DROVER_ATTACH_SCOPE_LEADER;
  EXPECT_EQ(Refusal(Message(signal, DROVER_ATTACH_SIGNAL)), 0);
}

TEST_F(ShimProtocolTest, ExecRequestsAreChecked) {
  Greet();
  drover_attach_exec exec{};
  EXPECT_EQ(Refusal(Message(exec, DROVER_ATTACH_EXEC, 1)), EINVAL);  // no arguments
  exec.argc = 1;
  EXPECT_EQ(Refusal(Message(exec, DROVER_ATTACH_EXEC, 1, {"true\0", 5})), EINVAL);  // no pipes
  exec.argc = 0xffffffff;
  EXPECT_EQ(Refusal(Message(exec, DROVER_ATTACH_EXEC, 1, {"true\0", 5})), EINVAL);
  exec.argc = 1;
  exec.envc = 0xffffffff;
  EXPECT_EQ(Refusal(Message(exec, DROVER_ATTACH_EXEC, 1, {"true\0", 5})), EINVAL);
  exec.envc = 0;
  exec.flags = 0x80;
  EXPECT_EQ(Refusal(Message(exec, DROVER_ATTACH_EXEC, 1, {"true\0", 5})), EINVAL);
  exec.flags = 0;
  EXPECT_EQ(Refusal(Message(exec, DROVER_ATTACH_EXEC, 1, "true")), EINVAL);  // no NUL
}

TEST_F(ShimProtocolTest, GarbageNeitherKillsTheShimNorTheTask) {
  std::mt19937 random(5);
  for (int connection = 0; connection < 30; ++connection) {
    Connect();
    if (random() % 2 == 0) Greet();
    for (int i = 0; i < 60; ++i) {
      ShimConnection::Bytes bytes(random() % 200 + 1);
      for (char& byte : bytes) byte = static_cast<char>(random());
      if (bytes.size() >= 16) {
        const std::uint32_t size = static_cast<std::uint32_t>(bytes.size());
        std::memcpy(bytes.data(), &size, sizeof size);
        // Any request but those that would end the run.
        do {
          bytes[4] = static_cast<char>(random() % 12);
        } while (bytes[4] == DROVER_ATTACH_KILL || bytes[4] == DROVER_ATTACH_SIGNAL);
        bytes[5] = 0;
      }
      if (!Send(bytes)) break;
      if (random() % 4 == 0) Receive();
    }
  }
  Connect();
  Greet();
  ASSERT_TRUE(Send(Message(drover_attach_header{}, DROVER_ATTACH_STATE)));
  const auto state = MessageAs<drover_attach_state_reply>(Receive());
  EXPECT_EQ(state.phase, unsigned{DROVER_ATTACH_RUNNING});
  EXPECT_EQ(state.sessions, 0u);
}

TEST_F(ShimProtocolTest, AClientThatDoesNotReadIsDisconnected) {
  Greet();
  const ShimConnection::Bytes request = Message(drover_attach_header{}, DROVER_ATTACH_STATE);
  EXPECT_TRUE(Until([&] {
    for (int i = 0; i < 500; ++i)
      if (!Send(request) && errno == EPIPE) return true;
    return false;
  }));
  Connect();
  Greet();
}

TEST_F(ShimProtocolTest, MoreClientsThanItHoldsAreTurnedAway) {
  std::vector<UniqueFd> others;
  for (int i = 0; i < 60; ++i) {
    others.push_back(std::move(socket_));
    Connect();
    pollfd closed{socket_.get(), POLLIN, 0};
    if (i > 40) EXPECT_EQ(poll(&closed, 1, 2000), 1);
  }
  others.clear();
  EXPECT_TRUE(Until([&] {
    Connect();
    drover_attach_hello hello{};
    hello.version = DROVER_ATTACH_VERSION;
    return Send(Message(hello, DROVER_ATTACH_HELLO)) && !Receive().empty();
  }));
}

TEST_F(ShimProtocolTest, SubscribersHearTheEnd) {
  Greet();
  drover_attach_subscribe subscribe{};
  subscribe.events = DROVER_ATTACH_EVENT_EXIT;
  EXPECT_EQ(Refusal(Message(subscribe, DROVER_ATTACH_SUBSCRIBE)), 0);
  EXPECT_EQ(Refusal(Message(drover_attach_header{}, DROVER_ATTACH_KILL)), 0);
  const ShimConnection::Bytes exit = Receive();
  EXPECT_EQ(MessageAs<drover_attach_header>(exit).type, DROVER_ATTACH_EXIT);
  EXPECT_EQ(exit.size(), sizeof(drover_attach_header) + sizeof(drover_exit_record));
  EXPECT_TRUE(Receive().empty());
}

TEST_F(ShimProtocolTest, DescriptorsThatNobodyWantsAreClosed) {
  Greet();
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  const UniqueFd read_end(pipe_ends[0]);
  {
    const UniqueFd write_end(pipe_ends[1]);
    ShimConnection::Bytes bytes = Message(drover_attach_header{}, DROVER_ATTACH_STATE);
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &pipe_ends[1], sizeof(int));
    ASSERT_GT(sendmsg(socket_.get(), &header, 0), 0);
    EXPECT_FALSE(Receive().empty());
  }
  pollfd over{read_end.get(), POLLIN, 0};
  EXPECT_EQ(poll(&over, 1, 2000), 1);
  EXPECT_TRUE(over.revents & POLLHUP);
}

}  // namespace
}  // namespace drover
