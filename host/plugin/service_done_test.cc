// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/service_done.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

constexpr TimePoint kStart{1000s};

TEST(TaskUsageTest, MemoryIsThatOfTheProcessesTogether) {
  ProcessUsage usage;
  usage.rss = 3000;
  usage.swap = 500;
  usage.processes = {{.pid = 7, .rss = 1000, .swap = 500}, {.pid = 8, .rss = 2000, .swap = 0}};
  const TaskUsage sample = ToTaskUsage(usage, nullptr, kStart, 42, 2000);
  EXPECT_EQ(sample.timestamp, 42);
  EXPECT_EQ(sample.total.memory.rss, 3000u);
  EXPECT_EQ(sample.total.memory.swap, 500u);
  ASSERT_EQ(sample.pids.size(), 2u);
  EXPECT_EQ(sample.pids.at(7).memory.swap, 500u);
  EXPECT_EQ(sample.pids.at(8).memory.rss, 2000u);
}

TEST(TaskUsageTest, PercentIsOfOneCoreSinceTheSampleBefore) {
  PluginHost::Run run;
  ProcessUsage usage;
  usage.user_time = 60s;
  usage.system_time = 30s;
  const auto after = [&](Duration time) {
    return ToTaskUsage(usage, &run, kStart + time, 42, 2000).total;
  };
  const StatSet memory(Stat::kRss, Stat::kSwap);
  EXPECT_EQ(after(0s).measured, memory) << "there is nothing to compare the first one with";

  usage.user_time += 3s;
  usage.system_time += 500ms;
  const ResourceUsage sample = after(2s);
  StatSet all = memory;
  all.Add(Stat::kUserMode, Stat::kSystemMode, Stat::kPercent, Stat::kTotalTicks);
  EXPECT_EQ(sample.measured, all);
  ResourceUsage::Cpu cpu = sample.cpu;
  EXPECT_DOUBLE_EQ(cpu.user_mode, 150);
  EXPECT_DOUBLE_EQ(cpu.system_mode, 25);
  EXPECT_DOUBLE_EQ(cpu.percent, 175);
  EXPECT_DOUBLE_EQ(cpu.total_ticks, 3500);

  cpu = after(4s).cpu;
  EXPECT_DOUBLE_EQ(cpu.percent, 0) << "idle since";

  // A process that ends takes its time with it where no cgroup counts.
  usage.user_time = 1s;
  cpu = after(6s).cpu;
  EXPECT_DOUBLE_EQ(cpu.percent, 0);
}

TEST(TaskUsageTest, TicksAreToldOnlyWhereTheSpeedOfACoreIsKnown) {
  PluginHost::Run run;
  ProcessUsage usage;
  ToTaskUsage(usage, &run, kStart, 42, 0);
  usage.user_time = 1s;
  EXPECT_FALSE(ToTaskUsage(usage, &run, kStart + 1s, 42, 0).total.measured.Has(Stat::kTotalTicks));
}

}  // namespace
}  // namespace drover
