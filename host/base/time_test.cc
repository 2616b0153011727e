// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/time.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(DurationTest, FormatsLikeClientsExpect) {
  EXPECT_EQ(FormatDuration(0s), "0s");
  EXPECT_EQ(FormatDuration(999ns), "999ns");
  EXPECT_EQ(FormatDuration(1500ns), "1.5µs");
  EXPECT_EQ(FormatDuration(250ms), "250ms");
  EXPECT_EQ(FormatDuration(1500ms), "1.5s");
  EXPECT_EQ(FormatDuration(90s), "1m30s");
  EXPECT_EQ(FormatDuration(std::chrono::hours(2)), "2h0m0s");
  EXPECT_EQ(FormatDuration(-1s), "-1s");
  EXPECT_EQ(FormatDuration(Duration::min()), "-2562047h47m16.854775808s");
}

TEST(DurationTest, ReadsWhatItWrites) {
  for (const Duration duration :
       {Duration(0), Duration(1), Duration(1500), Duration(250ms), Duration(90s),
        Duration(std::chrono::hours(25)) + 1ns, -Duration(1s)}) {
    EXPECT_EQ(ParseDuration(FormatDuration(duration)).value(), duration);
  }
  EXPECT_EQ(ParseDuration("1.5h").value(), std::chrono::minutes(90));
  EXPECT_EQ(ParseDuration("0").value(), Duration(0));
}

TEST(DurationTest, RefusesOtherTexts) {
  for (const char* bad : {"", "10", "s", "1x", "1s2", "1..5s", "- 1s", "999999999h", "1 s"}) {
    EXPECT_EQ(ParseDuration(bad).code(), Code::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace drover
