// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/usage_sum.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(UsageSumTest, AddsEachFieldToItself) {
  ResourceUsage a;
  a.memory = {1, 2, 3, 4, 5, 6, 7, 8};
  a.cpu = {.system_mode = 1,
           .user_mode = 2,
           .percent = 3,
           .total_ticks = 4,
           .throttled_periods = 5,
           .throttled_time_ns = 6};
  a.measured = StatSet(Stat::kRss, Stat::kSwap, Stat::kPercent);
  ResourceUsage b;
  b.memory = {10, 20, 30, 40, 50, 60, 70, 80};
  b.cpu = {.system_mode = 10,
           .user_mode = 20,
           .percent = 30,
           .total_ticks = 40,
           .throttled_periods = 50,
           .throttled_time_ns = 60};
  b.measured = StatSet(Stat::kSwap, Stat::kCache);
  AddUsage(&a, b);
  EXPECT_EQ(a.memory.rss, 11u);
  EXPECT_EQ(a.memory.cache, 22u);
  EXPECT_EQ(a.memory.swap, 33u);
  EXPECT_EQ(a.memory.mapped_file, 44u);
  EXPECT_EQ(a.memory.usage, 55u);
  EXPECT_EQ(a.memory.max_usage, 66u);
  EXPECT_EQ(a.memory.kernel_usage, 77u);
  EXPECT_EQ(a.memory.kernel_max_usage, 88u);
  EXPECT_EQ(a.cpu.system_mode, 11);
  EXPECT_EQ(a.cpu.user_mode, 22);
  EXPECT_EQ(a.cpu.percent, 33);
  EXPECT_EQ(a.cpu.total_ticks, 44);
  EXPECT_EQ(a.cpu.throttled_periods, 55u);
  EXPECT_EQ(a.cpu.throttled_time_ns, 66u);
  EXPECT_EQ(a.measured, StatSet(Stat::kRss, Stat::kCache, Stat::kSwap, Stat::kPercent));
}

}  // namespace
}  // namespace drover
