// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/failure_limiter.h"

#include <gtest/gtest.h>

#include "host/base/loop.h"

namespace drover {
namespace {

TEST(FailureLimiterTest, ASourceMayFailSomeTimesAtOnce) {
  SimLoop loop;
  FailureLimiter limiter({.at_once = 3, .each = 1s, .sources = 10});
  for (int i = 0; i < 3; ++i) limiter.AddFailure("a", loop.Now());
  EXPECT_FALSE(limiter.IsOver("a", loop.Now()));
  limiter.AddFailure("a", loop.Now());
  EXPECT_TRUE(limiter.IsOver("a", loop.Now()));
  EXPECT_FALSE(limiter.IsOver("b", loop.Now()));
}

TEST(FailureLimiterTest, FailuresComeBackWithTime) {
  SimLoop loop;
  FailureLimiter limiter({.at_once = 3, .each = 1s, .sources = 10});
  for (int i = 0; i < 1000; ++i) limiter.AddFailure("a", loop.Now());
  EXPECT_TRUE(limiter.IsOver("a", loop.Now()));
  loop.Advance(1s);
  EXPECT_FALSE(limiter.IsOver("a", loop.Now()));
  limiter.AddFailure("a", loop.Now());
  EXPECT_TRUE(limiter.IsOver("a", loop.Now()));
  loop.Advance(10s);
  for (int i = 0; i < 3; ++i) limiter.AddFailure("a", loop.Now());
  EXPECT_FALSE(limiter.IsOver("a", loop.Now()));
}

TEST(FailureLimiterTest, TheMemoryIsBounded) {
  SimLoop loop;
  FailureLimiter limiter({.at_once = 0, .each = std::chrono::hours(1), .sources = 10});
  limiter.AddFailure("first", loop.Now());
  for (int i = 0; i < 9; ++i) limiter.AddFailure(std::to_string(i), loop.Now());
  EXPECT_TRUE(limiter.IsOver("first", loop.Now()));
  limiter.AddFailure("first", loop.Now());
  for (int i = 0; i < 1000; ++i) {
    limiter.AddFailure("source " + std::to_string(i), loop.Now());
    EXPECT_LE(limiter.sources(), 10u);
    if (i != 5) continue;
    EXPECT_TRUE(limiter.IsOver("first", loop.Now()));
    EXPECT_FALSE(limiter.IsOver("0", loop.Now()));
  }
  EXPECT_FALSE(limiter.IsOver("first", loop.Now()));
  EXPECT_TRUE(limiter.IsOver("source 999", loop.Now()));
}

TEST(FailureLimiterTest, ASourceIsAnAddressWithoutItsPort) {
  EXPECT_EQ(FailureSource("127.0.0.1:4711"), "127.0.0.1");
  EXPECT_EQ(FailureSource("127.0.0.1:4712"), "127.0.0.1");
  EXPECT_EQ(FailureSource("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(FailureSource("[2001:db8:1:2:3:4:5:6]:80"), "2001:db8:1:2::/64");
  EXPECT_EQ(FailureSource("[2001:db8:1:2::9]:81"), "2001:db8:1:2::/64");
  EXPECT_EQ(FailureSource("[fe80::1%eth0]:81"), "fe80::/64");
  EXPECT_EQ(FailureSource("[::ffff:10.0.0.1]:81"), "::ffff:10.0.0.1");
  EXPECT_EQ(FailureSource("[nonsense]:81"), "nonsense");
  EXPECT_EQ(FailureSource("["), "");
  EXPECT_EQ(FailureSource(""), "");
}

}  // namespace
}  // namespace drover
