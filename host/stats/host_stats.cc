// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/host_stats.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>

namespace drover {
namespace {

// The minimum number of clock ticks between two measurements. A Look after fewer ticks returns the
// same percentages as the previous Look.
constexpr std::uint64_t kFewestTicks = 20;

std::string ReadText(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

// Replaces the octal escapes in a path. The kernel writes a blank or a backslash in a path as a
// backslash and three octal digits.
std::string Unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() &&
                        text.find_first_not_of("01234567", i + 1) >= i + 4;
    if (!escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
    i += 3;
  }
  return out;
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

HostStats::Disk DiskOf(const DiskMount& mount) {
  HostStats::Disk disk;
  disk.device = mount.device;
  disk.mountpoint = mount.mountpoint;
  struct statvfs info{};
  if (statvfs(mount.mountpoint.c_str(), &info) != 0) return disk;
  disk.size = info.f_blocks * info.f_frsize;
  disk.used = (info.f_blocks - info.f_bfree) * info.f_frsize;
  disk.available = info.f_bavail * info.f_frsize;
  // The percentage is relative to the space that is not reserved for root, as in the output of df.
  disk.used_percent =
      Percent(static_cast<double>(disk.used), static_cast<double>(disk.used + disk.available));
  disk.inodes_used_percent =
      Percent(static_cast<double>(info.f_files - info.f_ffree), static_cast<double>(info.f_files));
  return disk;
}

// Returns the mount that contains PATH.
DiskMount MountOf(const std::string& path, std::string_view mounts) {
  DiskMount best;
  for (const std::string& line : Lines(mounts)) {
    std::istringstream fields(line);
    std::string device, place;
    fields >> device >> place;
    place = Unescape(place);
    const bool below = place == "/" || path == place || path.starts_with(place + "/");
    if (below && place.size() >= best.mountpoint.size()) best = {Unescape(device), place};
  }
  return best;
}

}  // namespace

HostStats::Disk ReadDisk(const std::string& path) {
  return DiskOf({MountOf(path, ReadText("/proc/self/mounts")).device, path});
}

HostStats::Memory ParseMemory(std::string_view meminfo) {
  std::map<std::string, std::uint64_t> bytes;
  for (const std::string& line : Lines(meminfo)) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (fields >> name >> kilobytes) bytes[name] = kilobytes << 10;
  }
  HostStats::Memory memory;
  memory.total = bytes["MemTotal:"];
  memory.free = bytes["MemFree:"];
  memory.available = bytes["MemAvailable:"];
  const std::uint64_t unused =
      memory.free + bytes["Buffers:"] + bytes["Cached:"] + bytes["SReclaimable:"];
  memory.used = memory.total > unused ? memory.total - unused : 0;
  return memory;
}

std::map<std::string, CoreTimes> ParseCoreTimes(std::string_view stat) {
  std::map<std::string, CoreTimes> cores;
  for (const std::string& line : Lines(stat)) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (!name.starts_with("cpu") || name == "cpu") continue;
    // The fields are user, nice, system, idle, iowait, irq, softirq and steal. The times of guests
    // are already in user and nice.
    std::array<std::uint64_t, 8> ticks{};
    for (std::uint64_t& value : ticks) fields >> value;
    CoreTimes& core = cores[name];
    core.user = ticks[0] + ticks[1];
    core.system = ticks[2] + ticks[5] + ticks[6];
    core.idle = ticks[3] + ticks[4];
    core.total = core.user + core.system + core.idle + ticks[7];
  }
  return cores;
}

std::vector<DiskMount> ParseDiskMounts(std::string_view mounts, std::string_view filesystems) {
  std::set<std::string> types;
  for (const std::string& line : Lines(filesystems)) {
    std::istringstream fields(line);
    std::string type;
    fields >> type;
    // Leaves out FUSE file systems. A process serves each of them, and if that process hangs, a
    // measurement of the file system could block the agent.
    if (type != "nodev" && !type.starts_with("fuse")) types.insert(type);
  }
  std::vector<DiskMount> disks;
  std::set<std::string> seen;
  for (const std::string& line : Lines(mounts)) {
    std::istringstream fields(line);
    std::string device, place, type;
    fields >> device >> place >> type;
    if (!device.starts_with("/") || types.count(type) == 0) continue;
    if (seen.insert(device).second) disks.push_back({Unescape(device), Unescape(place)});
  }
  return disks;
}

HostStats::Core CoreUsage(const std::string& name, const CoreTimes& before, const CoreTimes& now,
                          double core_mhz) {
  const auto since = [](std::uint64_t then, std::uint64_t later) {
    // The idle time that the kernel reports may decrease. A decrease counts as 0.
    return later > then ? static_cast<double>(later - then) : 0;
  };
  HostStats::Core core;
  core.name = name;
  const double total = since(before.total, now.total);
  if (total <= 0) {
    core.idle = 100;
    return core;
  }
  core.user = Percent(since(before.user, now.user), total);
  core.system = Percent(since(before.system, now.system), total);
  core.idle = std::min(100.0, Percent(since(before.idle, now.idle), total));
  core.total = 100 - core.idle;
  core.ticks = core.total / 100 * core_mhz;
  return core;
}

HostStatsReader::HostStatsReader(std::string alloc_dir, double core_mhz)
    : alloc_dir_(std::move(alloc_dir)),
      core_mhz_(core_mhz),
      before_(ParseCoreTimes(ReadText("/proc/stat"))) {}

HostStats HostStatsReader::Look() {
  HostStats stats;
  stats.timestamp = WallNow();
  stats.memory = ParseMemory(ReadText("/proc/meminfo"));
  std::ifstream uptime("/proc/uptime");
  double seconds = 0;
  uptime >> seconds;
  stats.uptime = static_cast<std::uint64_t>(seconds);

  const std::string mounts = ReadText("/proc/self/mounts");
  for (const DiskMount& mount : ParseDiskMounts(mounts, ReadText("/proc/filesystems"))) {
    stats.disks.push_back(DiskOf(mount));
  }
  stats.alloc_dir = DiskOf({MountOf(alloc_dir_, mounts).device, alloc_dir_});

  const std::scoped_lock lock(mutex_);
  const std::map<std::string, CoreTimes> now = ParseCoreTimes(ReadText("/proc/stat"));
  const auto first = now.begin();
  const bool soon = first != now.end() && before_.count(first->first) > 0 && !cores_.empty() &&
                    first->second.total < before_[first->first].total + kFewestTicks;
  if (!soon) {
    cores_.clear();
    for (const auto& [name, times] : now) {
      cores_.push_back(CoreUsage(name, before_[name], times, core_mhz_));
    }
    before_ = now;
  }
  stats.cores = cores_;
  for (const HostStats::Core& core : cores_) stats.ticks += core.ticks;
  return stats;
}

}  // namespace drover
