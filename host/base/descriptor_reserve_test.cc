// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/descriptor_reserve.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

class DescriptorReserveTest : public testing::Test {
 protected:
  static constexpr rlim_t kLimit = 60;

  void SetUp() override {
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit low{kLimit, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  void TearDown() override { ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

  rlim_t hard_limit() const { return before_.rlim_max; }

  static std::vector<UniqueFd> OpenAll() {
    std::vector<UniqueFd> opened;
    while (opened.empty() || opened.back())
      opened.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(errno, EMFILE);
    opened.pop_back();
    return opened;
  }

 private:
  rlimit before_{};
};

TEST_F(DescriptorReserveTest, CountsThoseThatCanBeOpened) {
  const int most = static_cast<int>(OpenAll().size());
  EXPECT_TRUE(DescriptorsLeft(most));
  EXPECT_FALSE(DescriptorsLeft(most + 1));
  const UniqueFd one(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(DescriptorsLeft(most - 1));
  EXPECT_FALSE(DescriptorsLeft(most));
}

TEST_F(DescriptorReserveTest, AGapBelowTheOthersIsOneAndNotAllAboveIt) {
  std::vector<UniqueFd> opened = OpenAll();
  EXPECT_TRUE(DescriptorsLeft(0));
  EXPECT_FALSE(DescriptorsLeft(1));
  opened.front().Reset();
  EXPECT_TRUE(DescriptorsLeft(1));
  EXPECT_FALSE(DescriptorsLeft(2));
}

// The cost of a look does not grow with the limit of the process.
TEST_F(DescriptorReserveTest, OnlySoManyNumbersAreLookedAt) {
  constexpr int kBelow = 100;
  constexpr int kMost = kBelow + kDescriptorsLookedAt;
  if (hard_limit() < kMost) GTEST_SKIP() << "the hard limit of open files is below " << kMost;
  const rlimit high{kMost, hard_limit()};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &high), 0);
  std::vector<UniqueFd> opened;
  const UniqueFd one(open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (int fd = kBelow; fd < kMost; ++fd) {
    opened.emplace_back(dup3(one.get(), fd, O_CLOEXEC));
    ASSERT_EQ(opened.back().get(), fd);
  }
  EXPECT_FALSE(DescriptorsLeft(1));  // though some below are free
  opened.front().Reset();
  EXPECT_TRUE(DescriptorsLeft(1));
  EXPECT_FALSE(DescriptorsLeft(2));
}

TEST_F(DescriptorReserveTest, TheErrorNamesTheLimitAndMayBeTriedAgain) {
  const Error error = FewDescriptorsLeft();
  EXPECT_TRUE(error.recoverable());
  EXPECT_NE(error.message().find("may have 60 "), std::string::npos) << error.message();
}

}  // namespace
}  // namespace drover
