// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_usage.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"

namespace drover {
namespace {

constexpr int kStats = static_cast<int>(Stat::kThrottledTime) + 1;

// The values of a sample, in the order of ForEachStat.
std::vector<double> ValuesOf(const ResourceUsage& usage) {
  auto raw = NewStruct<drover_usage>();
  std::vector<double> values;
  ForEachStat(&usage, &raw, [&](Stat, auto value, auto&) { values.push_back(double(value)); });
  return values;
}

// A sample of a driver in which each value differs, with the bits MEASURED.
drover_usage Sample(std::uint64_t measured) {
  ResourceUsage usage;
  auto raw = NewStruct<drover_usage>();
  double next = 0;
  ForEachStat(&usage, &raw, [&](Stat, auto&, auto& to) { to = ++next; });
  raw.measured = measured;
  return raw;
}

ResourceUsage Read(const drover_usage& total) {
  auto stats = NewStruct<drover_stats>();
  stats.total = &total;
  return ReadStats(&stats).value().total;
}

TEST(AbiUsageTest, EachBitBringsItsValueAndNoOther) {
  for (int bit = 0; bit < kStats; ++bit) {
    const ResourceUsage read = Read(Sample(std::uint64_t{1} << bit));
    EXPECT_EQ(read.measured, StatSet(static_cast<Stat>(bit)));
    std::vector<double> expected(kStats, 0);
    expected[bit] = bit + 1;
    EXPECT_EQ(ValuesOf(read), expected) << "bit " << bit;
  }
}

TEST(AbiUsageTest, BitsThatTheHostDoesNotKnowAreLeftOut) {
  const ResourceUsage read = Read(Sample(~std::uint64_t{0}));
  EXPECT_EQ(read.measured, StatSet((std::uint64_t{1} << kStats) - 1));
  EXPECT_EQ(ValuesOf(read).back(), kStats);
}

TEST(AbiUsageTest, AShareThatIsNoNumberWasNotMeasured) {
  drover_usage raw = Sample(DROVER_STAT_PERCENT | DROVER_STAT_RSS);
  raw.percent = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Read(raw).measured, StatSet(Stat::kRss));
}

}  // namespace
}  // namespace drover
