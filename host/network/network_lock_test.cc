// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

TEST(NetworkLockTest, WhatAPluginLeavesInTheBackgroundDoesNotKeepIt) {
  const DirectoryForTest directory;
  const std::string path = directory.path() + "/lock";
  UniqueFd inherited;
  {
    const Result<NetworkLock> lock = NetworkLock::Take(path);
    ASSERT_TRUE(lock.ok()) << lock.error().message();
    inherited = UniqueFd(fcntl(lock->descriptor(), F_DUPFD_CLOEXEC, 0));
    ASSERT_TRUE(inherited);
  }
  const Result<NetworkLock> again = NetworkLock::Take(path);
  EXPECT_TRUE(again.ok()) << again.error().message();
}

TEST(NetworkLockTest, OnlyAFreeOneIsRemoved) {
  const DirectoryForTest directory;
  const std::string path = directory.path() + "/lock";
  {
    const Result<NetworkLock> lock = NetworkLock::Take(path);
    ASSERT_TRUE(lock.ok()) << lock.error().message();
    NetworkLock::RemoveFree(path);
    EXPECT_TRUE(NetworkLock::IsThere(path));
  }
  NetworkLock::RemoveFree(path);
  EXPECT_FALSE(NetworkLock::IsThere(path));
}

TEST(NetworkLockTest, WhoHasInheritedItIsNamed) {
  const DirectoryForTest directory;
  const Result<NetworkLock> lock = NetworkLock::Take(directory.path() + "/lock");
  ASSERT_TRUE(lock.ok()) << lock.error().message();
  EXPECT_EQ(LockHolder(lock->descriptor()), "");
  int ends[2] = {};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool has_it = dup2(lock->descriptor(), kLockOfPlugin) == kLockOfPlugin;
    if (ends[1] != kLockOfPlugin) close(ends[1]);
    while (has_it) pause();
    _exit(1);
  }
  const UniqueFd read_end(ends[0]);
  close(ends[1]);
  char none = 0;
  EXPECT_EQ(read(read_end.get(), &none, 1), 0);
  EXPECT_TRUE(
      LockHolder(lock->descriptor()).starts_with("process " + std::to_string(child) + " ("));
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(LockHolder(lock->descriptor()), "");
}

}  // namespace
}  // namespace drover
