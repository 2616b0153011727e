// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/state/core_pool.h"
#include "host/state/tables.h"

namespace drover {

// Returns the resources that an allocation of GROUP needs at the most demanding moment of its
// life. Sidecars always run, while prestart, main and poststop tasks run one after another. The
// cores of all tasks stay reserved as long as the allocation lives.
Resources GroupResources(const TaskGroup& group);

// The resources that an allocation of a group needs. They are the resources that GroupResources
// returns, and the disk that the tasks of the group share.
struct GroupNeeds {
  std::int64_t cpu_mhz = 0;  // not counting reserved cores
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;

  auto operator<=>(const GroupNeeds&) const = default;
};
GroupNeeds NeedsOf(const TaskGroup& group);

// The free resources of a node. An allocation that must stop keeps its resources until it has
// ended, since it uses its memory until then.
class NodeCapacity {
 public:
  NodeCapacity(const NodeRecord& node, const Tables& tables);

  // Takes what GROUP needs, sets CORES to the reserved cores, and returns an empty text. If there
  // is not enough, it takes nothing and returns what is missing: "memory", "cpu", "disk" or
  // "cores".
  std::string Take(const TaskGroup& group, ReservedCores* cores);
  // Makes the resources of an allocation free again.
  void Give(const Allocation& alloc);
  // Returns whether NEEDS are free. It only counts free cores and does not choose any.
  bool Has(const GroupNeeds& needs) const;
  std::int64_t memory_mb() const { return memory_mb_; }  // what is free; below 0 if it is promised

 private:
  // Returns the name of the first missing resource except cores; empty if none is missing.
  std::string MissingOf(const GroupNeeds& needs) const;
  void Add(const GroupNeeds& needs, int sign);
  // Returns the CPU needs in MHz, including the whole frequency of each reserved core.
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
