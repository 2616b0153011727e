// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/scheduler/tables.h"

namespace drover {

// What an allocation of GROUP needs at the most demanding moment of its life: sidecars always run,
// prestart, main and poststop tasks after one another.
Resources GroupResources(const TaskGroup& group);

// What of a node is not promised to an allocation. An allocation that is to stop counts until it
// has ended: its memory is in use until then.
class NodeCapacity {
 public:
  NodeCapacity(const NodeRecord& node, const Tables& tables);

  // Takes what GROUP needs; if there is not enough, nothing is taken and the answer is what is
  // missing: "memory" or "cpu".
  std::string Take(const TaskGroup& group);

 private:
  std::int64_t cpu_mhz_;
  std::int64_t memory_mb_;
};

}  // namespace drover
