// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/core_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

namespace drover {
namespace {

TEST(CoreFilesTest, NoneIsLeftAndTheLimitFromBeforeIsKnown) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &before), 0);
  const Result<std::uint64_t> known = ForbidCoreFiles();
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &after), 0);
  ASSERT_EQ(setrlimit(RLIMIT_CORE, &before), 0);
  ASSERT_TRUE(known.ok()) << known.error().message();
  EXPECT_EQ(*known, before.rlim_cur);
  EXPECT_EQ(after.rlim_cur, std::min<rlim_t>(1, before.rlim_max));
  EXPECT_EQ(after.rlim_max, before.rlim_max);
}

}  // namespace
}  // namespace drover
