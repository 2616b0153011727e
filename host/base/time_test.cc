// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/time.h"

#include <gtest/gtest.h>

#include <limits>

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

TEST(Rfc3339Test, ReadsWhatItWrites) {
  for (const WallTime time : {WallTime{0}, WallTime{1}, WallTime{951'782'400'000'000'000},
                              WallTime{1'700'000'000'123'456'789}}) {
    EXPECT_EQ(ParseRfc3339(Rfc3339(time)).value(), time) << Rfc3339(time);
  }
  EXPECT_EQ(ParseRfc3339("2023-11-14T22:13:20Z").value(), 1'700'000'000'000'000'000);
  EXPECT_EQ(ParseRfc3339("2023-11-14T22:13:20.5Z").value(), 1'700'000'000'500'000'000);
  EXPECT_EQ(ParseRfc3339("2023-11-15T00:13:20+02:00").value(), 1'700'000'000'000'000'000);
  EXPECT_EQ(ParseRfc3339("2023-11-14T21:43:20-00:30").value(), 1'700'000'000'000'000'000);
  EXPECT_EQ(ParseRfc3339("0001-01-01T00:00:00Z").value(), 0);
}

TEST(Rfc3339Test, WritesAnyTimeOfAClock) {
  EXPECT_EQ(Rfc3339(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(Rfc3339(-1'000'000'000), "1969-12-31T23:59:59.000000000Z");
  EXPECT_EQ(Rfc3339(std::numeric_limits<WallTime>::min()), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(Rfc3339(std::numeric_limits<WallTime>::max()), "2262-04-11T23:47:16.854775807Z");
}

TEST(Rfc3339Test, RefusesOtherTexts) {
  for (const char* bad :
       {"", "2023", "2023-11-14", "2023-11-14 22:13:20Z", "2023-11-14T22:13:20",
        "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20.1234567890Z", "2023-02-29T00:00:00Z",
        "2023-13-01T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z",
        "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20+0200", "2023-11-14T22:13:20+24:00",
        "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "-001-01-01T00:00:00Z"}) {
    EXPECT_EQ(ParseRfc3339(bad).code(), Code::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace drover
