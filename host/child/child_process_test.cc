// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

namespace drover {
namespace {

// Starts a copy of this process that sleeps, as the leader of a group.
pid_t SleepingChild() {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setpgid(0, 0);
  while (true) pause();
}

TEST(ChildProcessTest, TheCallerCanEndTheWait) {
  const UniqueFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  AwaitedChild child;
  child.pid = SleepingChild();
  ASSERT_GT(child.pid, 0);
  setpgid(child.pid, child.pid);
  child.limit = 1min;
  child.stop = stop.get();
  const pid_t pid = child.pid;
  std::thread caller([&stop] { eventfd_write(stop.get(), 1); });
  const ChildEnd end = AwaitChild(std::move(child));
  caller.join();
  EXPECT_TRUE(end.stopped);
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_NE(kill(pid, 0), 0) << "the child is not reaped";
}

}  // namespace
}  // namespace drover
