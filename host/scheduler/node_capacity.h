// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/scheduler/core_pool.h"
#include "host/scheduler/tables.h"

namespace drover {

// The needs of an allocation of GROUP at the most demanding moment of its life. Sidecars always
// run; prestart, main and poststop tasks run one after another. Cores are reserved for each task as
// long as the allocation lives.
Resources GroupResources(const TaskGroup& group);

// The same, with the disk, which the group needs as a whole.
struct GroupNeeds {
  std::int64_t cpu_mhz = 0;  // in addition to the cores
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;

  auto operator<=>(const GroupNeeds&) const = default;
};
GroupNeeds NeedsOf(const TaskGroup& group);

// The resources of a node that no allocation has. An allocation that must stop counts until it has
// ended: its memory is in use until then.
class NodeCapacity {
 public:
  NodeCapacity(const NodeRecord& node, const Tables& tables);

  // Takes what GROUP needs and sets its CORES. If there is not enough, takes nothing and returns
  // what is missing: "memory", "cpu", "disk" or "cores".
  std::string Take(const TaskGroup& group, ReservedCores* cores);
  // Makes the resources of an allocation free again.
  void Give(const Allocation& alloc);
  // Whether there is enough for NEEDS. Cores are only counted.
  bool Has(const GroupNeeds& needs) const;

 private:
  // The first resource that is missing, cores aside; empty: none.
  std::string MissingOf(const GroupNeeds& needs) const;
  void Add(const GroupNeeds& needs, int sign);
  // A reserved core takes its whole frequency.
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
