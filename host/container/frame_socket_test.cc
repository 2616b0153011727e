// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/frame_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <random>
#include <thread>

#include "host/abi/abi_write.h"
#include "host/abi/distinct_task.h"
#include "host/base/open_fds_for_test.h"

namespace drover {
namespace {

using testing::HasSubstr;

class FrameSocketTest : public testing::Test {
 protected:
  FrameSocketTest() {
    auto ends = FrameSocket::MakePair();
    peer_ = std::move(ends->second);
    socket_.emplace(std::move(ends->first));
  }

  // Sends BYTES as they are, with these descriptors, and returns how they were received.
  Received Raw(const std::string& bytes, const std::vector<int>& fds = {}) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    std::vector<char> control(CMSG_SPACE(sizeof(int) * fds.size()));
    if (!fds.empty()) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* c = CMSG_FIRSTHDR(&header);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
      std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
    }
    EXPECT_EQ(sendmsg(peer_.get(), &header, 0), static_cast<ssize_t>(bytes.size()));
    return socket_->Receive(&frame_, false, &why_);
  }
  static std::string Head(std::uint32_t size, std::uint16_t fds = 0, std::uint32_t in_file = 0,
                          std::uint32_t magic = kFrameMagic) {
    const FrameHead head{magic, 1, fds, 1, size, in_file};
    return std::string(reinterpret_cast<const char*>(&head), sizeof head);
  }

  std::optional<FrameSocket> socket_;
  UniqueFd peer_;
  Frame frame_;
  std::string why_;
};

TEST_F(FrameSocketTest, AMessageThatWasCutIsNotSent) {
  WireMessage message;
  WireWriter to(&message);
  const std::string text(kMaxWire, 'x');
  to(ToStr(text));
  FrameSocket other(std::move(peer_));
  EXPECT_EQ(other.Send(7, 1, std::move(message)).code(), Code::kResourceExhausted);
}

TEST_F(FrameSocketTest, FramesOfEachSizeArriveWhole) {
  FrameSocket other(std::move(peer_));
  for (const std::size_t size : {0u, 1u, 4096u, 65535u, 65536u, 65537u, 1u << 20, 16u << 20}) {
    std::string bytes(size, 'x');
    if (size > 0) bytes.back() = 'y';
    ASSERT_TRUE(other.Send(7, size, {bytes, {}}).ok());
    ASSERT_EQ(socket_->Receive(&frame_, true, &why_), Received::kFrame) << why_;
    EXPECT_EQ(frame_.kind, 7);
    EXPECT_EQ(frame_.id, size);
    EXPECT_TRUE(frame_.message.bytes == bytes);
    EXPECT_TRUE(frame_.message.fds.empty());
  }
  EXPECT_EQ(socket_->Receive(&frame_, false, &why_), Received::kNothing);
  EXPECT_EQ(other.Send(7, 1, {std::string(kMaxFrame + 1, 'x'), {}}).code(),
            Code::kResourceExhausted);
}

TEST_F(FrameSocketTest, DescriptorsTravelWithTheirFrame) {
  const long before = OpenFds();
  for (const std::size_t size : {1u, 100'000u}) {
    UniqueFd file(memfd_create("given", 0));
    ASSERT_EQ(write(file.get(), "hello", 5), 5);
    WireMessage message{std::string(size, 'x'), {{file.Release(), DROVER_FD_GIVEN}}};
    message.fds.push_back({2, DROVER_FD_BORROWED});
    ASSERT_TRUE(FrameSocket(UniqueFd(dup(peer_.get()))).Send(1, 2, std::move(message)).ok());
    ASSERT_EQ(socket_->Receive(&frame_, true, &why_), Received::kFrame) << why_;
    ASSERT_EQ(frame_.message.fds.size(), 2u);
    EXPECT_EQ(OpenFds(), before + 2);  // the sender's own is closed
    char text[8]{};
    EXPECT_EQ(pread(frame_.message.fds[0].fd, text, sizeof text, 0), 5);
    EXPECT_STREQ(text, "hello");
    const WireReader reader(std::move(frame_.message));  // nobody takes them
  }
  EXPECT_EQ(OpenFds(), before);
}

TEST_F(FrameSocketTest, WhatIsNoFrameIsToldAndItsDescriptorsAreClosed) {
  const long before = OpenFds();
  const UniqueFd some(memfd_create("some", MFD_ALLOW_SEALING));
  EXPECT_EQ(Raw("x"), Received::kBroken);
  EXPECT_EQ(Raw(Head(0, 0, 0, 0x12345678)), Received::kBroken);
  EXPECT_THAT(why_, HasSubstr("no frame"));
  EXPECT_EQ(Raw(Head(5) + "1234"), Received::kBroken);
  EXPECT_THAT(why_, HasSubstr("cut off"));
  EXPECT_EQ(Raw(Head(3) + "1234"), Received::kBroken);
  EXPECT_EQ(Raw(Head(~0u) + "1234"), Received::kBroken);
  EXPECT_THAT(why_, HasSubstr("too large"));
  EXPECT_EQ(Raw(Head(66'000) + std::string(66'000, 'x')), Received::kBroken);
  EXPECT_THAT(why_, HasSubstr("too large"));
  // Descriptors that the head does not count, that it counts and are not there, or too many.
  EXPECT_EQ(Raw(Head(1) + "x", {some.get()}), Received::kBroken);
  EXPECT_THAT(why_, HasSubstr("does not name"));
  EXPECT_EQ(Raw(Head(1, 1) + "x"), Received::kBroken);
  EXPECT_EQ(Raw(Head(1, 40) + "x", std::vector<int>(2 * kMaxFrameFds, some.get())),
            Received::kBroken);
  EXPECT_THAT(why_, HasSubstr("more descriptors"));
  // A file that can change, or is none, or has another size.
  ASSERT_EQ(ftruncate(some.get(), 100), 0);
  EXPECT_EQ(Raw(Head(100, 0, 1), {some.get()}), Received::kBroken);
  EXPECT_EQ(Raw(Head(100, 0, 1), {peer_.get()}), Received::kBroken);
  EXPECT_EQ(Raw(Head(100, 0, 1)), Received::kBroken);
  ASSERT_EQ(fcntl(some.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE), 0);
  EXPECT_EQ(Raw(Head(101, 0, 1), {some.get()}), Received::kBroken);
  EXPECT_EQ(Raw(Head(100, 0, 1), {some.get()}), Received::kFrame);
  EXPECT_EQ(OpenFds(), before + 1);
}

TEST_F(FrameSocketTest, APeerThatDoesNotReadHoldsASenderOnlyToItsDeadline) {
  FrameSocket other(std::move(peer_));
  Status sent;
  int frames = 0;
  const TimePoint deadline = BootClock::now() + 50ms;
  for (; sent.ok() && frames < 100'000; ++frames) {
    sent = other.Send(1, 1, {std::string(1000, 'x'), {}}, deadline);
  }
  EXPECT_EQ(sent.code(), Code::kTimeout);
  EXPECT_GT(frames, 50);
  // One that waits for ever hears of the end.
  std::thread end([&] { socket_->Shutdown(); });
  EXPECT_EQ(other.Send(1, 1, {std::string(1000, 'x'), {}}).code(), Code::kUnavailable);
  end.join();
  EXPECT_EQ(other.Receive(&frame_, true, &why_), Received::kClosed);
}

TEST_F(FrameSocketTest, FramesOfManyThreadsDoNotMix) {
  FrameSocket other(std::move(peer_));
  constexpr int kThreads = 8;
  constexpr int kEach = 2000;
  std::vector<std::thread> senders;
  for (int i = 0; i < kThreads; ++i) {
    senders.emplace_back([&other, i] {
      for (int n = 0; n < kEach; ++n) {
        const std::string bytes(static_cast<std::size_t>(n % 3000), static_cast<char>('a' + i));
        EXPECT_TRUE(
            other.Send(static_cast<std::uint16_t>(i), static_cast<std::uint64_t>(n), {bytes, {}})
                .ok());
      }
    });
  }
  std::vector<std::uint64_t> next(kThreads, 0);
  for (int n = 0; n < kThreads * kEach; ++n) {
    ASSERT_EQ(socket_->Receive(&frame_, true, &why_), Received::kFrame) << why_;
    EXPECT_EQ(frame_.id, next.at(frame_.kind)++);
    const std::string expected(frame_.id % 3000, static_cast<char>('a' + frame_.kind));
    EXPECT_TRUE(frame_.message.bytes == expected);
  }
  for (std::thread& sender : senders) sender.join();
}

// Each struct from bytes that were changed, cut off or made up: it is read whole or refused.
class GarbageTest : public testing::TestWithParam<int> {
 protected:
  template <typename T>
  static void Read(const std::string& bytes) {
    WireReader reader({bytes, {}});
    T* made = reader.Struct<T>();
    if (!reader.ok()) return;
    // All that it holds can be read.
    WireMessage again;
    WireWriter writer(&again);
    writer.Struct(made);
    if (writer.ok()) EXPECT_LE(again.bytes.size(), bytes.size());
  }
  static void ReadAll(const std::string& bytes) {
    Read<drover_start_args>(bytes);
    Read<drover_recover_args>(bytes);
    Read<drover_recover_result>(bytes);
    Read<drover_start_result>(bytes);
    Read<drover_task_status>(bytes);
    Read<drover_fingerprint>(bytes);
    Read<drover_event>(bytes);
    Read<drover_stats>(bytes);
    Read<drover_exec_args>(bytes);
    Read<drover_process_start_args>(bytes);
    Read<drover_restore_complete_args>(bytes);
    Read<drover_task_output_pipes>(bytes);
  }
};

TEST_P(GarbageTest, IsReadOrRefused) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const TaskConfigView view(DistinctTask());
  auto args = NewStruct<drover_recover_args>();
  args.config = view.get();
  WireMessage good;
  WireWriter(&good).Struct(&args);
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = good.bytes;
    switch (random() % 3) {
      case 0:
        bytes.resize(random() % bytes.size());
        break;
      case 1:
        bytes.resize(random() % 300);
        for (char& byte : bytes) byte = static_cast<char>(random());
        break;
      default:
        for (unsigned i = 0; i <= random() % 8; ++i) {
          // Lengths and counts too: small numbers at the wrong place, and huge ones.
          bytes[random() % bytes.size()] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
        }
    }
    ReadAll(bytes);
  }
  Read<drover_recover_args>(good.bytes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GarbageTest, testing::Range(1, 9));

}  // namespace
}  // namespace drover
