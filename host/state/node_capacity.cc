// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/node_capacity.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

void AddTo(Resources* sum, const Resources& more) {
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
    const Resources resources = Bounded(task.resources);
    AddTo(when, resources);
    cores += resources.cores;
  }
  Resources most;
  most.cores = cores;
  most.cpu_mhz = std::max({before.cpu_mhz, during.cpu_mhz, after.cpu_mhz}) + always.cpu_mhz;
  most.memory_mb =
      std::max({before.memory_mb, during.memory_mb, after.memory_mb}) + always.memory_mb;
  return most;
}

GroupNeeds NeedsOf(const TaskGroup& group) {
  const Resources resources = GroupResources(group);
  return {resources.cpu_mhz, resources.cores, resources.memory_mb, group.ephemeral_disk_mb};
}

NodeCapacity::NodeCapacity(const NodeRecord& node, const Tables& tables)
    : core_mhz_(node.cpu_mhz / std::max(node.cores, 1)),
      cpu_mhz_(node.cpu_mhz - node.reserved_cpu_mhz),
      memory_mb_(node.memory_mb - node.reserved_memory_mb),
      disk_mb_(node.disk_mb - node.reserved_disk_mb),
      cores_(node.core_ids) {
  const auto used = tables.usage.find(node.id);
  if (used == tables.usage.end()) return;
  const NodeUsage& usage = used->second;
  Add({usage.cpu_mhz, usage.cores, usage.memory_mb, usage.disk_mb}, -1);
  cores_.Remove(usage.core_ids);
}

void NodeCapacity::Add(const GroupNeeds& needs, int sign) {
  cpu_mhz_ += sign * MhzOf(needs);
  memory_mb_ += sign * needs.memory_mb;
  disk_mb_ += sign * needs.disk_mb;
}

std::string NodeCapacity::MissingOf(const GroupNeeds& needs) const {
  if (needs.memory_mb > memory_mb_) return "memory";
  if (MhzOf(needs) > cpu_mhz_) return "cpu";
  if (needs.disk_mb > disk_mb_) return "disk";
  return "";
}

std::string NodeCapacity::Take(const TaskGroup& group, ReservedCores* cores) {
  const GroupNeeds needs = NeedsOf(group);
  std::string missing = MissingOf(needs);
  if (!missing.empty()) return missing;
  std::optional<ReservedCores> reserved = cores_.Take(group);
  if (!reserved) return "cores";
  *cores = std::move(*reserved);
  Add(needs, -1);
  return "";
}

void NodeCapacity::Give(const Allocation& alloc) {
  if (const TaskGroup* const group = alloc.group()) Add(NeedsOf(*group), 1);
  cores_.Give(alloc.cores);
}

bool NodeCapacity::Has(const GroupNeeds& needs) const {
  return MissingOf(needs).empty() && needs.cores <= static_cast<std::int64_t>(cores_.size());
}

}  // namespace drover
