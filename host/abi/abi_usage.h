// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "drover/drover.h"
#include "host/driver/resource_usage.h"

namespace drover {

constexpr bool IsBit(Stat stat, std::uint64_t bit) {
  return std::uint64_t{1} << static_cast<int>(stat) == bit;
}
static_assert(IsBit(Stat::kRss, DROVER_STAT_RSS));
static_assert(IsBit(Stat::kCache, DROVER_STAT_CACHE));
static_assert(IsBit(Stat::kSwap, DROVER_STAT_SWAP));
static_assert(IsBit(Stat::kMappedFile, DROVER_STAT_MAPPED_FILE));
static_assert(IsBit(Stat::kUsage, DROVER_STAT_USAGE));
static_assert(IsBit(Stat::kMaxUsage, DROVER_STAT_MAX_USAGE));
static_assert(IsBit(Stat::kKernelUsage, DROVER_STAT_KERNEL_USAGE));
static_assert(IsBit(Stat::kKernelMaxUsage, DROVER_STAT_KERNEL_MAX_USAGE));
static_assert(IsBit(Stat::kSystemMode, DROVER_STAT_SYSTEM_MODE));
static_assert(IsBit(Stat::kUserMode, DROVER_STAT_USER_MODE));
static_assert(IsBit(Stat::kPercent, DROVER_STAT_PERCENT));
static_assert(IsBit(Stat::kTotalTicks, DROVER_STAT_TOTAL_TICKS));
static_assert(IsBit(Stat::kThrottledPeriods, DROVER_STAT_THROTTLED_PERIODS));
static_assert(IsBit(Stat::kThrottledTime, DROVER_STAT_THROTTLED_TIME));

// Calls FUNCTION for each statistic, with three arguments: the Stat, the member of *USAGE that
// contains the statistic, and the member of *RAW that contains it.
template <typename Usage, typename Raw, typename Function>
void ForEachStat(Usage* usage, Raw* raw, Function function) {
  auto& memory = usage->memory;
  function(Stat::kRss, memory.rss, raw->rss);
  function(Stat::kCache, memory.cache, raw->cache);
  function(Stat::kSwap, memory.swap, raw->swap);
  function(Stat::kMappedFile, memory.mapped_file, raw->mapped_file);
  function(Stat::kUsage, memory.usage, raw->usage);
  function(Stat::kMaxUsage, memory.max_usage, raw->max_usage);
  function(Stat::kKernelUsage, memory.kernel_usage, raw->kernel_usage);
  function(Stat::kKernelMaxUsage, memory.kernel_max_usage, raw->kernel_max_usage);
  auto& cpu = usage->cpu;
  function(Stat::kSystemMode, cpu.system_mode, raw->system_mode);
  function(Stat::kUserMode, cpu.user_mode, raw->user_mode);
  function(Stat::kPercent, cpu.percent, raw->percent);
  function(Stat::kTotalTicks, cpu.total_ticks, raw->total_ticks);
  function(Stat::kThrottledPeriods, cpu.throttled_periods, raw->throttled_periods);
  function(Stat::kThrottledTime, cpu.throttled_time_ns, raw->throttled_time);
}

}  // namespace drover
