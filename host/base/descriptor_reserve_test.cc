// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/descriptor_reserve.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>
#include <vector>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

TEST(DescriptorReserveTest, ToldByTheNumberThatIsFree) {
  constexpr rlim_t kLimit = 60;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{kLimit, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<UniqueFd> opened;
  int left = 0;
  for (;;) {
    UniqueFd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!fd) break;
    if (LeavesDescriptors(fd.get(), 7)) ++left;
    opened.push_back(std::move(fd));
  }
  EXPECT_EQ(errno, EMFILE);
  EXPECT_EQ(left + 7, static_cast<int>(opened.size()));
  EXPECT_TRUE(LeavesDescriptors(kLimit - 1, 0));
  EXPECT_FALSE(LeavesDescriptors(kLimit - 1, 1));
  const Error error = FewDescriptorsLeft();
  EXPECT_TRUE(error.recoverable());
  EXPECT_NE(error.message().find("may have 60 "), std::string::npos) << error.message();
  // One that is given back is the next to be had.
  opened[opened.size() / 2].Reset();
  const UniqueFd again(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(LeavesDescriptors(again.get(), 7));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace drover
