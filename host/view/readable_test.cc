// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/readable.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

constexpr WallTime kSecond = 1'000'000'000;
constexpr WallTime kNow = 1'800'000'000 * kSecond;

std::string AgoSeconds(std::int64_t seconds) { return Ago(kNow - seconds * kSecond, kNow); }

TEST(AgoTest, ShowsTheTwoLargestUnits) {
  EXPECT_EQ(AgoSeconds(0), "0s ago");
  EXPECT_EQ(AgoSeconds(59), "59s ago");
  EXPECT_EQ(AgoSeconds(60), "1m ago");
  EXPECT_EQ(AgoSeconds(3 * 3600 + 62), "3h1m ago");
  EXPECT_EQ(AgoSeconds(3600 + 5), "1h ago");
  EXPECT_EQ(AgoSeconds(2 * 86400 + 5 * 3600 + 7), "2d5h ago");
}

TEST(AgoTest, BearsTimesThatMakeNoSense) {
  EXPECT_EQ(Ago(0, kNow), "-");
  EXPECT_EQ(Ago(-5, kNow), "-");
  EXPECT_EQ(AgoSeconds(-10), "0s ago");  // the agent's clock is ahead
}

TEST(MomentTest, HasWholeSeconds) {
  EXPECT_EQ(Moment("2026-11-22T08:22:04.123456789Z"), "2026-11-22T08:22:04Z");
  EXPECT_EQ(Moment("2026-11-22T08:22:04Z"), "2026-11-22T08:22:04Z");
  EXPECT_EQ(Moment("0001-01-01T00:00:00Z"), "-");
  EXPECT_EQ(Moment(""), "-");
}

TEST(AmountTest, HasTheUnitThatFits) {
  EXPECT_EQ(Amount(0), "0 B");
  EXPECT_EQ(Amount(1023), "1023 B");
  EXPECT_EQ(Amount(1536), "1.5 KiB");
  EXPECT_EQ(Amount(20 << 20), "20 MiB");
  EXPECT_EQ(Amount(std::uint64_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(Amount(std::uint64_t{5000} << 40), "5000 TiB");
}

TEST(ShownIdTest, IsNotCutInTheMiddleOfACharacter) {
  EXPECT_EQ(ShownId("abcdef01-0000-4000-8000-000000000000", false), "abcdef01");
  EXPECT_EQ(ShownId("abcdef01-0000-4000-8000-000000000000", true),
            "abcdef01-0000-4000-8000-000000000000");
  EXPECT_EQ(ShownId("abcdefg\xe2\x9b\xa9x", false), "abcdefg\xe2\x9b\xa9");
  EXPECT_EQ(ShownId("ab", false), "ab");
}

}  // namespace
}  // namespace drover
