// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/run_usage.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "host/process/small_file.h"

namespace drover {
namespace {

UniqueFd OpenFile(int directory, const char* name) {
  return UniqueFd(openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
}

// Returns the whole text of a file. Returns an empty text if the file cannot be read, for example
// because its cgroup was removed.
std::string TextOf(const UniqueFd& file) {
  std::string text;
  char buffer[4096];
  ssize_t n;
  while (file &&
         (n = pread(file.get(), buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

std::optional<std::uint64_t> NumberIn(const UniqueFd& file) {
  const std::string text = TextOf(file);
  if (text.empty()) return std::nullopt;
  return std::strtoull(text.c_str(), nullptr, 10);
}

std::uint64_t Count(const std::string& text, const std::string& key) {
  return static_cast<std::uint64_t>(FieldOf(text, key).value_or(0));
}

}  // namespace

RunUsage RunUsage::Open(const Cgroups& cgroups) {
  const auto& [tracking, memory, cpu, cpuacct] = cgroups;
  RunUsage usage;
  if (tracking >= 0) {
    usage.cpu_ = OpenFile(tracking, "cpu.stat");
    usage.memory_usage_ = OpenFile(tracking, "memory.current");
  }
  if (!usage.cpu_ && cpuacct >= 0) {
    usage.accounting_ = OpenFile(cpuacct, "cpuacct.usage");
    usage.modes_ = OpenFile(cpuacct, "cpuacct.stat");
  }
  if (usage.memory_usage_) {
    usage.unified_memory_ = true;
    usage.memory_ = OpenFile(tracking, "memory.stat");
    usage.memory_peak_ = OpenFile(tracking, "memory.peak");
    usage.swap_ = OpenFile(tracking, "memory.swap.current");
  } else if (memory >= 0) {
    usage.memory_usage_ = OpenFile(memory, "memory.usage_in_bytes");
    usage.memory_ = OpenFile(memory, "memory.stat");
    usage.memory_peak_ = OpenFile(memory, "memory.max_usage_in_bytes");
  }
  if (cpu >= 0) usage.throttling_ = OpenFile(cpu, "cpu.stat");
  return usage;
}

void RunUsage::ReadTime(const std::string& cpu, ProcessUsage* usage) const {
  const auto user = FieldOf(cpu, "user_usec"), system = FieldOf(cpu, "system_usec");
  if (user && system) {
    usage->user_time = std::chrono::microseconds(*user);
    usage->system_time = std::chrono::microseconds(*system);
    return;
  }
  const std::optional<std::uint64_t> spent = NumberIn(accounting_);
  if (!spent) return;
  const Duration total(static_cast<Duration::rep>(*spent));
  // The kernel counts the user and system times in ticks, and old kernels only estimate them by
  // sampling. So only the ratio of the two times is used.
  const std::string modes = TextOf(modes_);
  const auto own = static_cast<double>(Count(modes, "user"));
  const auto all = own + static_cast<double>(Count(modes, "system"));
  usage->user_time = all > 0 ? std::chrono::duration_cast<Duration>(total * (own / all)) : total;
  usage->system_time = total - usage->user_time;
}

void RunUsage::Read(ProcessUsage* usage) const {
  const std::string cpu = TextOf(cpu_);
  ReadTime(cpu, usage);
  const std::string throttling = throttling_ ? TextOf(throttling_) : cpu;
  if (const auto periods = FieldOf(throttling, "nr_throttled")) {
    // The time is in microseconds in version 2 and in nanoseconds in version 1.
    const auto microseconds = FieldOf(throttling, "throttled_usec");
    const Duration time = microseconds ? Duration(std::chrono::microseconds(*microseconds))
                                       : Duration(Count(throttling, "throttled_time"));
    usage->throttling = {static_cast<std::uint64_t>(*periods), time};
  }
  const std::string memory = TextOf(memory_);
  const std::optional<std::uint64_t> current = NumberIn(memory_usage_);
  if (memory.empty() || !current) return;
  MemoryUsage& to = usage->memory.emplace();
  to.usage = *current;
  to.max_usage = NumberIn(memory_peak_);
  if (unified_memory_) {
    usage->rss = Count(memory, "anon");
    usage->swap = NumberIn(swap_).value_or(0);
    to.cache = Count(memory, "file");
    to.mapped_file = Count(memory, "file_mapped");
    if (const auto kernel = FieldOf(memory, "kernel"))
      to.kernel_usage = static_cast<std::uint64_t>(*kernel);
  } else {
    usage->rss = Count(memory, "total_rss");
    usage->swap = Count(memory, "total_swap");
    to.cache = Count(memory, "total_cache");
    to.mapped_file = Count(memory, "total_mapped_file");
  }
}

}  // namespace drover
