// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_time.h"

#include <gtest/gtest.h>

namespace drover::templates {
namespace {

constexpr Moment kFebruary{1233810057, 12345678, -8 * 3600};  // 2009-02-04 21:00:57.012345678

TEST(GoTimeTest, WritesLayouts) {
  EXPECT_EQ(FormatMoment(kFebruary, "Mon Jan _2 15:04:05 2006"), "Wed Feb  4 21:00:57 2009");
  EXPECT_EQ(FormatMoment(kFebruary, "2006-01-02T15:04:05Z07:00"), "2009-02-04T21:00:57-08:00");
  EXPECT_EQ(FormatMoment(kFebruary, "3:04PM"), "9:00PM");
  EXPECT_EQ(FormatMoment(kFebruary, "Jan _2 15:04:05.000"), "Feb  4 21:00:57.012");
  EXPECT_EQ(FormatMoment(kFebruary, "05.999999999"), "57.012345678");
  EXPECT_EQ(FormatMoment(kFebruary, "Monday, 02-Jan-06 002"), "Wednesday, 04-Feb-09 035");
  EXPECT_EQ(FormatMoment({0, 0, 0}, "2006-01-02T15:04:05.999Z07:00 MST"),
            "1970-01-01T00:00:00Z UTC");
  EXPECT_EQ(MomentText({1257894000, 0, 0}), "2009-11-10 23:00:00 +0000 UTC");
}

TEST(GoTimeTest, ReadsLayouts) {
  const Result<Moment> read =
      ParseMoment("2006-01-02T15:04:05Z07:00", "2009-02-04T21:00:57.5-08:00");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->seconds, kFebruary.seconds);
  EXPECT_EQ(read->nanoseconds, 500'000'000);
  EXPECT_FALSE(ParseMoment("2006-01-02", "2009-02-29").ok());
  EXPECT_FALSE(ParseMoment("2006-01-02", "2009-02-04x").ok());
  EXPECT_TRUE(ParseMoment("Jan 2, 2006 at 3:04pm (MST)", "Feb 3, 2013 at 7:54pm (PST)").ok());
}

TEST(GoTimeTest, IsTheSameBothWays) {
  for (std::int64_t seconds = -70'000'000'000; seconds < 70'000'000'000; seconds += 987'654'321) {
    EXPECT_EQ(SecondsOf(CivilOf({seconds, 0, 0})), seconds);
  }
}

TEST(GoTimeTest, MomentsAndDurationsAreCalculatedWith) {
  const Moment before = Later({100, 5, 0}, -6);
  EXPECT_EQ(before.seconds, 99);
  EXPECT_EQ(before.nanoseconds, 999'999'999);
  EXPECT_EQ(DurationBetween(before, {100, 5, 0}), 6);
  EXPECT_EQ(DurationBetween({100, 5, 0}, before), -6);
  EXPECT_EQ(DurationBetween({0, 0, 0}, {100'000'000'000, 0, 0}), INT64_MAX);
  EXPECT_EQ(DurationBetween({100'000'000'000, 0, 0}, {0, 0, 0}), INT64_MIN);
  EXPECT_EQ(MonthText(2), "February");
  EXPECT_EQ(WeekdayText(6), "Saturday");
}

TEST(GoTimeTest, Durations) {
  EXPECT_EQ(DurationText(0), "0s");
  EXPECT_EQ(DurationText(1), "1ns");
  EXPECT_EQ(DurationText(1100), "1.1µs");
  EXPECT_EQ(DurationText(2'200'000), "2.2ms");
  EXPECT_EQ(DurationText(3'300'000'000), "3.3s");
  EXPECT_EQ(DurationText(245'000'000'000), "4m5s");
  EXPECT_EQ(DurationText(-18'367'001'000'000), "-5h6m7.001s");
  EXPECT_EQ(ParseGoDuration("1h15m30.918s"), 4'530'918'000'000);
  EXPECT_EQ(ParseGoDuration("-1.5h"), -5'400'000'000'000);
  EXPECT_EQ(ParseGoDuration("1"), std::nullopt);
  EXPECT_EQ(ParseGoDuration("x"), std::nullopt);
}

}  // namespace
}  // namespace drover::templates
