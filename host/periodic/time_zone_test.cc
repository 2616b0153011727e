// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/time_zone.h"

#include <gtest/gtest.h>

#include "host/periodic/tzif_for_test.h"

namespace drover {
namespace {

TEST(TimeZoneTest, ATableOfChangesIsFollowedByTheRule) {
  const TimeZone zone = ZoneOf(
      {.offsets = {-600, 3600, 7200}, .changes = {{0, 1}, {1000, 2}, {2000, 1}}, .rule = "JST-9"});
  EXPECT_EQ(zone.OffsetAt(-1), -600);
  EXPECT_EQ(zone.OffsetAt(0), 3600);
  EXPECT_EQ(zone.OffsetAt(1999), 7200);
  EXPECT_EQ(zone.OffsetAt(2000), 9 * 3600) << "the rule is for what follows the last change";
  EXPECT_EQ(zone.NextChange(-5), 0);
  EXPECT_EQ(zone.NextChange(0), 1000);
  EXPECT_EQ(zone.NextChange(1000), 2000);
  EXPECT_EQ(zone.NextChange(2000), kNoChange);
}

TEST(TimeZoneTest, WithoutARuleTheLastOffsetStays) {
  const TimeZone zone = ZoneOf({.offsets = {0, 3600}, .changes = {{1000, 1}}});
  EXPECT_EQ(zone.OffsetAt(9'000'000'000), 3600);
  EXPECT_EQ(zone.NextChange(1000), kNoChange);
  const TimeZone old = ZoneOf({.version = '\0', .offsets = {0, -3600}, .changes = {{1000, 1}}});
  EXPECT_EQ(old.OffsetAt(1000), -3600) << "a file of version 1 has times of four bytes";
}

TEST(TimeZoneTest, ZoneTimes) {
  const TimeZone berlin = ZoneOf(kBerlin);
  EXPECT_EQ(berlin.At(Utc(2026, 3, 29, 0, 59, 59)), (ZoneTime{2026, 3, 29, 1, 59, 59}));
  EXPECT_EQ(berlin.At(Utc(2026, 3, 29, 1)), (ZoneTime{2026, 3, 29, 3, 0, 0}));
  EXPECT_EQ(berlin.At(Utc(2025, 12, 31, 23)), (ZoneTime{2026, 1, 1, 0, 0, 0}));
  EXPECT_EQ(TimeZone().At(0), ZoneTime());
  EXPECT_EQ(TimeZone().At(-1), (ZoneTime{1969, 12, 31, 23, 59, 59}));
}

TEST(TimeZoneTest, FilesThatAreWrongAreRefused) {
  const std::string good =
      Tzif({.offsets = {0, 3600}, .changes = {{0, 1}, {1000, 0}}, .rule = kBerlin});
  ASSERT_TRUE(TimeZone::Parse(good).ok());
  // Only the name of an offset may be cut off.
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(TimeZone::Parse(good.substr(0, length)).ok()) << length;
  }
  std::string huge = good;
  for (std::size_t i = 20; i < 44; ++i) huge[i] = '\xff';  // all counts
  EXPECT_FALSE(TimeZone::Parse(huge).ok());
  EXPECT_FALSE(TimeZone::Parse(Tzif({.changes = {{0, 1}}})).ok()) << "no such offset";
  EXPECT_FALSE(TimeZone::Parse(Tzif({.changes = {{5, 0}, {5, 0}}})).ok()) << "not in order";
  EXPECT_FALSE(TimeZone::Parse(Tzif({.offsets = {}})).ok());
  EXPECT_FALSE(TimeZone::Parse(Tzif({.offsets = {100'000}})).ok());
  EXPECT_FALSE(TimeZone::Parse(Tzif({.leaps = 1})).ok());
  EXPECT_FALSE(TimeZone::Parse(Tzif({.rule = "nonsense"})).ok());
  EXPECT_FALSE(TimeZone::Parse("# tzdb data").ok());
}

TEST(TimeZoneTest, ZonesAreFoundByNameAndShared) {
  const auto utc = TimeZone::Find("UTC");
  ASSERT_TRUE(utc.ok());
  EXPECT_EQ((*utc)->OffsetAt(0), 0);
  EXPECT_EQ(TimeZone::Find("")->get(), utc->get());
  EXPECT_TRUE(TimeZone::Find("Local").ok());
  for (const char* bad :
       {"/etc/passwd", "../../../etc/passwd", "Europe/../../x", "a b", "\n", ".", "Europe/Berlin\\",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaa"}) {
    EXPECT_EQ(TimeZone::Find(bad).code(), Code::kInvalidArgument) << bad;
  }
  const auto none = TimeZone::Find("Europe/Atlantis");
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_NE(none.error().message().find("/usr/share/zoneinfo/Europe/Atlantis"), std::string::npos);
  EXPECT_FALSE(TimeZone::Find("Europe").ok()) << "a directory";
}

}  // namespace
}  // namespace drover
