// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_peer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "host/base/time.h"
#include "host/process/failing_calls_for_test.h"

namespace drover {
namespace {

std::int64_t BootNow() {
  return std::chrono::nanoseconds(BootClock::now().time_since_epoch()).count();
}

class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      pause();
      _exit(0);
    }
    pidfd_.Reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void Kill() const {
    kill(pid_, SIGKILL);
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT), 0);
  }
  int pidfd() const { return pidfd_.get(); }

 private:
  pid_t pid_;
  UniqueFd pidfd_;
};

TEST(ShimPeerTest, AProcessIsKnownByItsStart) {
  const std::int64_t second = 1'000'000'000;
  const std::int64_t before = BootNow();
  const Child child;
  EXPECT_TRUE(StartedBefore(child.pidfd(), BootNow()));
  EXPECT_TRUE(StartedBefore(child.pidfd(), BootNow() + 1000 * second));
  // The kernel reports the start in hundredths of a second.
  EXPECT_FALSE(StartedBefore(child.pidfd(), before - second / 50));
  EXPECT_FALSE(StartedBefore(child.pidfd(), 1));
}

TEST(ShimPeerTest, WhatHasEndedIsNoStranger) {
  const Child child;
  EXPECT_FALSE(StartedBefore(child.pidfd(), 1));
  child.Kill();
  EXPECT_TRUE(StartedBefore(child.pidfd(), 1));
}

TEST(ShimPeerTest, NothingIsNoShim) { EXPECT_FALSE(StartedBefore(-1, BootNow())); }

// Before Linux 6.5 the socket does not give the pidfd of its peer.
TEST(ShimPeerTest, AnOldKernelTellsThePid) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can have system calls fail";
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  UniqueFd found;
  std::thread old([&] {
    constexpr std::uint32_t kSoPeerPidfd = 77;
    ASSERT_EQ(FailCalls({SYS_getsockopt}, ENOPROTOOPT, CallsWith{2, BPF_JEQ, kSoPeerPidfd}), 0);
    found = PidfdOfPeer(ours.get()).value();
  });
  old.join();
  ASSERT_TRUE(found);
  EXPECT_TRUE(StartedBefore(found.get(), BootNow()));
  EXPECT_EQ(syscall(SYS_pidfd_send_signal, found.get(), 0, nullptr, 0), 0);
}

}  // namespace
}  // namespace drover
