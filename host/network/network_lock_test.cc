// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace drover
