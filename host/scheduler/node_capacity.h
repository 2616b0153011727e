// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/scheduler/core_pool.h"
#include "host/scheduler/tables.h"

namespace drover {

// What an allocation of GROUP needs at the most demanding moment of its life: sidecars always run,
// prestart, main and poststop tasks after one another. Cores are reserved for each task, for as
// long as the allocation lives.
Resources GroupResources(const TaskGroup& group);

// The same, with what is not of its tasks.
struct GroupNeeds {
  std::int64_t cpu_mhz = 0;  // beside the cores
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;

  auto operator<=>(const GroupNeeds&) const = default;
};
GroupNeeds NeedsOf(const TaskGroup& group);

// What of a node is not promised to an allocation. An allocation that is to stop counts until it
// has ended: its memory is in use until then.
class NodeCapacity {
 public:
  NodeCapacity(const NodeRecord& node, const Tables& tables);

  // Takes what GROUP needs, and tells which CORES it has got; if there is not enough, nothing is
  // taken and the answer is what is missing: "memory", "cpu", "disk" or "cores".
  std::string Take(const TaskGroup& group, ReservedCores* cores);
  // Gives back what an allocation has.
  void Give(const Allocation& alloc);
  // Whether a group that needs this finds what it needs, but for particular cores.
  bool Has(const GroupNeeds& needs) const;

 private:
  // What of it is missing; empty: nothing.
  std::string MissingOf(const GroupNeeds& needs) const;
  void Add(const GroupNeeds& needs, int sign);
  // Of cores that are reserved, all is gone.
  std::int64_t MhzOf(const GroupNeeds& needs) const {
    return needs.cpu_mhz + needs.cores * core_mhz_;
  }

  std::int64_t core_mhz_;
  std::int64_t cpu_mhz_;
  std::int64_t memory_mb_;
  std::int64_t disk_mb_;
  CorePool cores_;
};

}  // namespace drover
