// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/process_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "host/process/small_file.h"

namespace drover {
namespace {

Duration FromTicks(std::uint64_t ticks) {
  static const long per_second = sysconf(_SC_CLK_TCK);
  return Duration(static_cast<Duration::rep>(ticks * (1'000'000'000u / std::uint64_t(per_second))));
}

bool MachineHasSwap() {
  struct sysinfo info{};
  return sysinfo(&info) == 0 && info.totalswap > 0;
}

}  // namespace

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  // The name of the process may contain spaces and brackets. So the parser looks for the fields
  // after the last closing bracket.
  const std::size_t end = text.rfind(')');
  if (end == std::string_view::npos || end + 2 >= text.size()) return std::nullopt;
  std::istringstream words{std::string(text.substr(end + 2))};
  std::string state;
  ProcessStat stat;
  const std::size_t name = text.find('(') + 1;
  if (name > 0 && name <= end) stat.name = text.substr(name, end - name);
  std::string skipped;
  words >> state >> stat.parent;
  for (int field = 5; field < 14; ++field) words >> skipped;
  std::uint64_t user = 0, system = 0;
  if (!(words >> user >> system) || state == "Z" || state == "X") return std::nullopt;
  for (int field = 16; field < 22; ++field) words >> skipped;
  std::uint64_t started = 0;
  if (!(words >> started)) return std::nullopt;
  stat.user_time = FromTicks(user);
  stat.system_time = FromTicks(system);
  stat.started = FromTicks(started);
  return stat;
}

std::uint64_t ParseStatusField(std::string_view text, std::string_view field) {
  const std::string key = "\n" + std::string(field) + ":";
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  std::size_t digit = text.find_first_not_of(" \t", at + key.size());
  std::uint64_t kilobytes = 0;
  for (; digit < text.size() && text[digit] >= '0' && text[digit] <= '9'; ++digit) {
    kilobytes = kilobytes * 10 + static_cast<std::uint64_t>(text[digit] - '0');
  }
  return kilobytes * 1024;
}

std::optional<ProcessUsage::Process> ReadProcessUsage(pid_t pid, pid_t shim) {
  const std::string base = "/proc/" + std::to_string(pid);
  const std::optional<std::string> text = ReadSmallFile(AT_FDCWD, (base + "/stat").c_str());
  const std::optional<ProcessStat> stat = text ? ParseProcessStat(*text) : std::nullopt;
  if (!stat || (stat->parent == shim && stat->name == "drover-init")) return std::nullopt;
  ProcessUsage::Process usage;
  usage.pid = pid;
  usage.user_time = stat->user_time;
  usage.system_time = stat->system_time;
  if (MachineHasSwap()) {
    const std::string status = ReadSmallFile(AT_FDCWD, (base + "/status").c_str()).value_or("");
    usage.rss = ParseStatusField(status, "VmRSS");
    usage.swap = ParseStatusField(status, "VmSwap");
  } else {
    const std::string statm = ReadSmallFile(AT_FDCWD, (base + "/statm").c_str()).value_or("");
    const std::size_t second = statm.find(' ');
    static const long page = sysconf(_SC_PAGESIZE);
    if (second != std::string::npos)
      usage.rss = std::strtoull(statm.c_str() + second, nullptr, 10) * std::uint64_t(page);
  }
  return usage;
}

std::vector<pid_t> DescendantsOf(pid_t pid) {
  std::multimap<pid_t, pid_t> children;
  if (DIR* const directory = opendir("/proc")) {
    while (const dirent* entry = readdir(directory)) {
      const pid_t child = std::atoi(entry->d_name);
      if (child <= 0) continue;
      const std::string path = "/proc/" + std::string(entry->d_name) + "/stat";
      const std::optional<std::string> text = ReadSmallFile(AT_FDCWD, path.c_str());
      const std::optional<ProcessStat> stat = text ? ParseProcessStat(*text) : std::nullopt;
      if (stat) children.emplace(stat->parent, child);
    }
    closedir(directory);
  }
  std::vector<pid_t> found{pid};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto it = first; it != last; ++it) found.push_back(it->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace drover
