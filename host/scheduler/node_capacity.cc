// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/node_capacity.h"

#include <algorithm>

namespace drover {
namespace {

void Add(const Resources& more, Resources* sum) {
  sum->cpu_mhz += more.cpu_mhz;
  sum->memory_mb += more.memory_mb;
}

}  // namespace

Resources GroupResources(const TaskGroup& group) {
  Resources always{0, 0, 0}, before{0, 0, 0}, during{0, 0, 0}, after{0, 0, 0};
  std::int64_t cores = 0;
  for (const Task& task : group.tasks) {
    Resources* when = IsSidecar(task)    ? &always
                      : IsPrestart(task) ? &before
                      : IsPoststop(task) ? &after
                                         : &during;
    Add(task.resources, when);
    cores += task.resources.cores;
  }
  Resources most;
  most.cores = cores;
  most.cpu_mhz = std::max({before.cpu_mhz, during.cpu_mhz, after.cpu_mhz}) + always.cpu_mhz;
  most.memory_mb =
      std::max({before.memory_mb, during.memory_mb, after.memory_mb}) + always.memory_mb;
  return most;
}

NodeCapacity::NodeCapacity(const NodeRecord& node, const Tables& tables)
    : core_mhz_(node.cpu_mhz / std::max(node.cores, 1)),
      cpu_mhz_(node.cpu_mhz - node.reserved_cpu_mhz),
      memory_mb_(node.memory_mb - node.reserved_memory_mb),
      cores_(node.core_ids) {
  for (const auto& [id, record] : tables.live_allocs) {
    if (record->alloc->node_id != node.id) continue;
    const Resources taken = GroupResources(*record->alloc->group());
    cpu_mhz_ -= MhzOf(taken);
    memory_mb_ -= taken.memory_mb;
    cores_.Remove(record->alloc->cores);
  }
}

std::string NodeCapacity::Take(const TaskGroup& group, ReservedCores* cores) {
  const Resources needed = GroupResources(group);
  if (needed.memory_mb > memory_mb_) return "memory";
  if (MhzOf(needed) > cpu_mhz_) return "cpu";
  std::optional<ReservedCores> reserved = cores_.Take(group);
  if (!reserved) return "cores";
  *cores = std::move(*reserved);
  memory_mb_ -= needed.memory_mb;
  cpu_mhz_ -= MhzOf(needed);
  return "";
}

}  // namespace drover
