// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/usage_sum.h"

#include <algorithm>

namespace drover {
namespace {

void AddNames(std::vector<std::string>* names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  }
}

}  // namespace

void AddUsage(ResourceUsage* sum, const ResourceUsage& more) {
  ResourceUsage::Memory& memory = sum->memory;
  memory.rss += more.memory.rss;
  memory.cache += more.memory.cache;
  memory.swap += more.memory.swap;
  memory.mapped_file += more.memory.mapped_file;
  memory.usage += more.memory.usage;
  memory.max_usage += more.memory.max_usage;
  memory.kernel_usage += more.memory.kernel_usage;
  memory.kernel_max_usage += more.memory.kernel_max_usage;
  AddNames(&memory.measured, more.memory.measured);
  ResourceUsage::Cpu& cpu = sum->cpu;
  cpu.system_mode += more.cpu.system_mode;
  cpu.user_mode += more.cpu.user_mode;
  cpu.percent += more.cpu.percent;
  cpu.total_ticks += more.cpu.total_ticks;
  cpu.throttled_periods += more.cpu.throttled_periods;
  cpu.throttled_time_ns += more.cpu.throttled_time_ns;
  AddNames(&cpu.measured, more.cpu.measured);
}

}  // namespace drover
