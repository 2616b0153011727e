// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/spec/job.h"

namespace drover {

// The cores that tasks have reserved, by task name. Each list is in ascending order.
using ReservedCores = std::map<std::string, std::vector<int>>;

// The free cores of a node. A core is free if no task has reserved it.
class CorePool {
 public:
  // CORES must be sorted in ascending order.
  explicit CorePool(std::vector<int> cores) : free_(std::move(cores)) {}

  std::size_t size() const { return free_.size(); }

  // Removes RESERVED, the cores that allocations already use, from the free cores.
  void Remove(const std::set<int>& reserved);
  // Makes RESERVED, the cores of an allocation, free again.
  void Give(const ReservedCores& reserved);

  // Takes the lowest free cores for each task of GROUP that reserves cores. No two tasks share a
  // core. If there are not enough cores, it takes none and returns absent.
  std::optional<ReservedCores> Take(const TaskGroup& group);

 private:
  std::vector<int> free_;
};

}  // namespace drover
