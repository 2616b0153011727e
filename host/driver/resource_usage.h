// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover {

// The statistics of a task. The values are the bit numbers of the flags DROVER_STAT_... in the C
// header.
enum class Stat {
  kRss,
  kCache,
  kSwap,
  kMappedFile,
  kUsage,
  kMaxUsage,
  kKernelUsage,
  kKernelMaxUsage,
  kSystemMode,
  kUserMode,
  kPercent,
  kTotalTicks,
  kThrottledPeriods,
  kThrottledTime,
};

// A set of statistics.
class StatSet {
 public:
  StatSet() = default;
  explicit StatSet(std::uint64_t bits) : bits_(bits) {}
  template <typename... More>
  explicit StatSet(Stat first, More... more) {
    Add(first, more...);
  }

  template <typename... Stats>
  void Add(Stats... stats) {
    ((bits_ |= std::uint64_t{1} << static_cast<int>(stats)), ...);
  }
  void Add(StatSet more) { bits_ |= more.bits_; }
  bool Has(Stat stat) const { return (bits_ >> static_cast<int>(stat) & 1) != 0; }
  std::uint64_t bits() const { return bits_; }

  bool operator==(const StatSet&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

// One sample of a task or a process. A value that was not measured is 0. All memory values are in
// bytes.
struct ResourceUsage {
  struct Memory {
    std::uint64_t rss = 0, cache = 0, swap = 0, mapped_file = 0, usage = 0, max_usage = 0;
    std::uint64_t kernel_usage = 0, kernel_max_usage = 0;
  } memory;
  struct Cpu {
    double system_mode = 0, user_mode = 0, percent = 0;  // all in percent of one core
    double total_ticks = 0;                              // in MHz
    std::uint64_t throttled_periods = 0, throttled_time_ns = 0;
  } cpu;
  StatSet measured;
};

// A statistic: its member in a sample, and its names for clients.
template <typename Part, typename Value>
struct StatField {
  Stat stat;
  const char* key;  // the key of its value in the API
  // The name of the statistic in the API's lists of measured statistics.
  const char* name;
  const char* metric;  // the name of its metric, after "nomad.client.allocs."
  Value Part::* member;
};

inline constexpr StatField<ResourceUsage::Memory, std::uint64_t> kMemoryStats[] = {
    {Stat::kRss, "RSS", "RSS", "memory.rss", &ResourceUsage::Memory::rss},
    {Stat::kCache, "Cache", "Cache", "memory.cache", &ResourceUsage::Memory::cache},
    {Stat::kSwap, "Swap", "Swap", "memory.swap", &ResourceUsage::Memory::swap},
    {Stat::kMappedFile, "MappedFile", "Mapped File", "memory.mapped_file",
     &ResourceUsage::Memory::mapped_file},
    {Stat::kUsage, "Usage", "Usage", "memory.usage", &ResourceUsage::Memory::usage},
    {Stat::kMaxUsage, "MaxUsage", "Max Usage", "memory.max_usage",
     &ResourceUsage::Memory::max_usage},
    {Stat::kKernelUsage, "KernelUsage", "Kernel Usage", "memory.kernel_usage",
     &ResourceUsage::Memory::kernel_usage},
    {Stat::kKernelMaxUsage, "KernelMaxUsage", "Kernel Max Usage", "memory.kernel_max_usage",
     &ResourceUsage::Memory::kernel_max_usage},
};

inline constexpr StatField<ResourceUsage::Cpu, double> kCpuStats[] = {
    {Stat::kSystemMode, "SystemMode", "System Mode", "cpu.system",
     &ResourceUsage::Cpu::system_mode},
    {Stat::kUserMode, "UserMode", "User Mode", "cpu.user", &ResourceUsage::Cpu::user_mode},
    {Stat::kPercent, "Percent", "Percent", "cpu.total_percent", &ResourceUsage::Cpu::percent},
    {Stat::kTotalTicks, "TotalTicks", "Total Ticks", "cpu.total_ticks",
     &ResourceUsage::Cpu::total_ticks},
};

inline constexpr StatField<ResourceUsage::Cpu, std::uint64_t> kThrottlingStats[] = {
    {Stat::kThrottledPeriods, "ThrottledPeriods", "Throttled Periods", "cpu.throttled_periods",
     &ResourceUsage::Cpu::throttled_periods},
    {Stat::kThrottledTime, "ThrottledTime", "Throttled Time", "cpu.throttled_time",
     &ResourceUsage::Cpu::throttled_time_ns},
};

// Adds to NAMES the names of all FIELDS that were measured.
template <typename Fields>
void AddMeasured(const Fields& fields, StatSet measured, std::vector<std::string>* names) {
  for (const auto& field : fields) {
    if (measured.Has(field.stat)) names->emplace_back(field.name);
  }
}

}  // namespace drover
