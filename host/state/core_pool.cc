// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/core_pool.h"

#include <algorithm>

namespace drover {

void CorePool::Remove(const std::set<int>& reserved) {
  std::erase_if(free_, [&](int core) { return reserved.count(core) > 0; });
}

void CorePool::Give(const ReservedCores& reserved) {
  for (const auto& [task, cores] : reserved) {
    for (const int core : cores) free_.insert(std::ranges::upper_bound(free_, core), core);
  }
}

std::optional<ReservedCores> CorePool::Take(const TaskGroup& group) {
  ReservedCores taken;
  auto next = free_.begin();
  for (const Task& task : group.tasks) {
    if (task.resources.cores <= 0) continue;
    if (task.resources.cores > free_.end() - next) return std::nullopt;
    const auto end = next + task.resources.cores;
    taken[task.name].assign(next, end);
    next = end;
  }
  free_.erase(free_.begin(), next);
  return taken;
}

}  // namespace drover
