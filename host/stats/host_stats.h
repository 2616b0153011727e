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

// The machine's resources and their use. Memory is in bytes. Processor time is in percent of each
// core.
struct HostStats {
  struct Memory {
    std::uint64_t total = 0, available = 0, used = 0, free = 0;
    bool operator==(const Memory&) const = default;
  };
  struct Core {
    std::string name;  // such as "cpu0"
    double user = 0, system = 0, idle = 0, total = 0;
    double ticks = 0;  // used frequency in MHz
  };
  struct Disk {
    std::string device;
    std::string mountpoint;
    std::uint64_t size = 0, used = 0, available = 0;  // all in bytes
    double used_percent = 0, inodes_used_percent = 0;
  };

  Memory memory;
  std::vector<Core> cores;
  std::vector<Disk> disks;   // one entry per block device
  Disk alloc_dir;            // the file system of the allocation directories
  std::uint64_t uptime = 0;  // seconds
  double ticks = 0;          // used frequency in MHz, sum of all cores
  WallTime timestamp = 0;
};

// Returns the file system that contains PATH, with PATH as its mountpoint. The sizes are 0 if the
// file system cannot be read. A file system that hangs also blocks this call. [any thread]
HostStats::Disk ReadDisk(const std::string& path);

// The times of a core since the machine was started, in clock ticks of the kernel.
struct CoreTimes {
  std::uint64_t user = 0, system = 0, idle = 0, total = 0;
  bool operator==(const CoreTimes&) const = default;
};

struct DiskMount {
  std::string device;
  std::string mountpoint;
  bool operator==(const DiskMount&) const = default;
};

// Parses the text of /proc/meminfo. Free memory is memory that the kernel uses for nothing. Used
// memory is all memory except free memory, buffers and caches. A value that is missing in the text
// is 0.
HostStats::Memory ParseMemory(std::string_view meminfo);
// Parses the text of /proc/stat. Returns the times of each core, with the core's name as the key.
std::map<std::string, CoreTimes> ParseCoreTimes(std::string_view stat);
// Parses MOUNTS, which is the text of /proc/self/mounts. Returns the mounts of block devices, each
// device only once, with its first mountpoint. FILESYSTEMS is the text of /proc/filesystems.
std::vector<DiskMount> ParseDiskMounts(std::string_view mounts, std::string_view filesystems);
// Returns the use of a core between two measurements.
HostStats::Core CoreUsage(const std::string& name, const CoreTimes& before, const CoreTimes& now,
                          double core_mhz);

// Measures the machine on each Look. Percentages cover the time since the last Look, or since the
// reader was made. [any thread]
class HostStatsReader {
 public:
  // CORE_MHZ is the frequency of one core, or 0 if it is unknown.
  HostStatsReader(std::string alloc_dir, double core_mhz);

  HostStats Look();

 private:
  const std::string alloc_dir_;
  const double core_mhz_;
  std::mutex mutex_;
  std::map<std::string, CoreTimes> before_;
  std::vector<HostStats::Core> cores_;  // the cores in the result of the last Look
};

}  // namespace drover
