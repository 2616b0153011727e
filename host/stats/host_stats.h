// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"

namespace drover {

// What the machine has and uses: memory in bytes, processor time in percent of each core.
struct HostStats {
  struct Memory {
    std::uint64_t total = 0, available = 0, used = 0, free = 0;
    bool operator==(const Memory&) const = default;
  };
  struct Core {
    std::string name;  // "cpu0"
    double user = 0, system = 0, idle = 0, total = 0;
    double ticks = 0;  // MHz
  };
  struct Disk {
    std::string device;
    std::string mountpoint;
    std::uint64_t size = 0, used = 0, available = 0;  // bytes
    double used_percent = 0, inodes_used_percent = 0;
  };

  Memory memory;
  std::vector<Core> cores;
  std::vector<Disk> disks;   // of block devices, each once
  Disk alloc_dir;            // where allocations have their directories
  std::uint64_t uptime = 0;  // seconds
  double ticks = 0;          // MHz, of all cores
  WallTime timestamp = 0;
};

// The file system below PATH, without its device; all zero if it cannot be read. It blocks as long
// as that file system does. [any thread]
HostStats::Disk ReadDisk(const std::string& path);

// What a core has done since the machine was started, in the kernel's ticks.
struct CoreTimes {
  std::uint64_t user = 0, system = 0, idle = 0, total = 0;
  bool operator==(const CoreTimes&) const = default;
};

struct DiskMount {
  std::string device;
  std::string mountpoint;
  bool operator==(const DiskMount&) const = default;
};

// Of the text of /proc/meminfo. Free is what nothing uses, used is all that is not free, a buffer
// or a cache. What the text does not tell is 0.
HostStats::Memory ParseMemory(std::string_view meminfo);
// Of the text of /proc/stat, by name of the core.
std::map<std::string, CoreTimes> ParseCoreTimes(std::string_view stat);
// Of the text of /proc/self/mounts: what lies on block devices, each device once, where it was
// mounted first. FILESYSTEMS is the text of /proc/filesystems.
std::vector<DiskMount> ParseDiskMounts(std::string_view mounts, std::string_view filesystems);
// What a core has done between two looks.
HostStats::Core CoreUsage(const std::string& name, const CoreTimes& before, const CoreTimes& now,
                          double core_mhz);

// Measures the machine whenever somebody looks. Percentages are those of the time since the last
// look, or since this was made. [any thread]
class HostStatsReader {
 public:
  // CORE_MHZ may be 0: not known.
  HostStatsReader(std::string alloc_dir, double core_mhz);

  HostStats Look();

 private:
  const std::string alloc_dir_;
  const double core_mhz_;
  std::mutex mutex_;
  std::map<std::string, CoreTimes> before_;
  std::vector<HostStats::Core> cores_;  // what was told last
};

}  // namespace drover
