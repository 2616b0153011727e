// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/zone_rule.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

ZoneRule MustParseRule(std::string_view text) {
  const Result<ZoneRule> rule = ZoneRule::Parse(text);
  EXPECT_TRUE(rule.ok()) << text;
  return rule.ok() ? *rule : ZoneRule();
}

constexpr std::int64_t kMarch2026 = 1'774'746'000;    // 2026-03-29 01:00 UTC
constexpr std::int64_t kOctober2026 = 1'792'890'000;  // 2026-10-25 01:00 UTC

TEST(ZoneRuleTest, AZoneWithoutSummerTimeHasOneOffset) {
  const ZoneRule tokyo = MustParseRule("JST-9");
  EXPECT_EQ(tokyo.OffsetAt(0), 9 * 3600);
  EXPECT_EQ(tokyo.NextChange(0), kNoChange);
  EXPECT_EQ(MustParseRule("<-0330>3:30").OffsetAt(kMarch2026), -(3 * 3600 + 1800));
  EXPECT_EQ(MustParseRule("UTC0").OffsetAt(kMarch2026), 0);
}

TEST(ZoneRuleTest, BerlinChangesOnTheLastSundaysOfMarchAndOctober) {
  const ZoneRule berlin = MustParseRule("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(berlin.OffsetAt(kMarch2026 - 1), 3600);
  EXPECT_EQ(berlin.OffsetAt(kMarch2026), 7200);
  EXPECT_EQ(berlin.OffsetAt(kOctober2026 - 1), 7200);
  EXPECT_EQ(berlin.OffsetAt(kOctober2026), 3600);
  EXPECT_EQ(berlin.NextChange(kMarch2026 - 1), kMarch2026);
  EXPECT_EQ(berlin.NextChange(kMarch2026), kOctober2026);
}

TEST(ZoneRuleTest, SummerInTheSouthBeginsInOneYearAndEndsInTheNext) {
  // By half an hour only.
  const ZoneRule lord_howe = MustParseRule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
  constexpr std::int64_t kApril2026 = 1'775'314'800;  // 2026-04-04 15:00 UTC
  constexpr std::int64_t kBegin2026 = 1'791'041'400;  // 2026-10-03 15:30 UTC
  EXPECT_EQ(lord_howe.OffsetAt(kApril2026 - 1), 11 * 3600);
  EXPECT_EQ(lord_howe.OffsetAt(kApril2026), 10 * 3600 + 1800);
  EXPECT_EQ(lord_howe.NextChange(kApril2026), kBegin2026);
  EXPECT_EQ(lord_howe.OffsetAt(kBegin2026), 11 * 3600);
}

TEST(ZoneRuleTest, WinterTimeMayBeTheOneWithTheName) {
  // Dublin has standard time in summer, and one hour less in winter.
  const ZoneRule dublin = MustParseRule("IST-1GMT0,M10.5.0,M3.5.0/1");
  EXPECT_EQ(dublin.OffsetAt(kMarch2026 - 1), 0);
  EXPECT_EQ(dublin.OffsetAt(kMarch2026), 3600);
  EXPECT_EQ(dublin.OffsetAt(kOctober2026), 0);
}

TEST(ZoneRuleTest, DaysMayBeCountedAndTimesLieBeyondTheDay) {
  constexpr std::int64_t kMarch2027 = 1'803'859'200;     // March 1 00:00 UTC
  constexpr std::int64_t kFebruary2028 = 1'835'395'200;  // February 29 00:00 UTC
  // The 60th day is March 1, if leap days do not count.
  const ZoneRule counted = MustParseRule("AAA0BBB-1,J60/0,J300/0");
  EXPECT_EQ(counted.OffsetAt(kMarch2027 - 1), 0);
  EXPECT_EQ(counted.OffsetAt(kMarch2027), 3600);
  EXPECT_EQ(counted.OffsetAt(kFebruary2028), 0);
  EXPECT_EQ(counted.OffsetAt(kFebruary2028 + 86'400), 3600);
  const ZoneRule with_leap_days = MustParseRule("AAA0BBB-1,59/0,300/0");
  EXPECT_EQ(with_leap_days.OffsetAt(kMarch2027), 3600);
  EXPECT_EQ(with_leap_days.OffsetAt(kFebruary2028), 3600);
  // Before midnight, and after the end of the day.
  EXPECT_EQ(MustParseRule("AAA0BBB-1,J60/-1,J300/0").OffsetAt(kMarch2027 - 3600), 3600);
  EXPECT_EQ(MustParseRule("AAA0BBB-1,J59/24,J300/0").NextChange(kMarch2027 - 1), kMarch2027);
}

TEST(ZoneRuleTest, ASummerThatNeverEndsHasOneOffset) {
  const ZoneRule always = MustParseRule("EST5EDT,0/0,J365/25");
  for (std::int64_t at = kMarch2026; at < kMarch2026 + 3 * 365 * 86400LL; at += 43'200) {
    ASSERT_EQ(always.OffsetAt(at), -4 * 3600) << at;
  }
}

TEST(ZoneRuleTest, WhatIsNoRuleIsRefused) {
  for (const char* bad :
       {"", "C", "CE-1", "CET", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0",
        "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M3.5.0/168,M10.5.0", "<CET-1", "<>1",
        "CET-1CEST,J0,J1", "CET-1CEST,366,1", "CET--1", "CET-99999999999999999999"}) {
    EXPECT_FALSE(ZoneRule::Parse(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace drover
