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

using ReservedCores = std::map<std::string, std::vector<int>>;  // by task, ascending

// The cores of a node that no task has reserved.
class CorePool {
 public:
  // CORES are sorted.
  explicit CorePool(std::vector<int> cores) : free_(std::move(cores)) {}

  std::size_t size() const { return free_.size(); }

  // Removes the cores that allocations have reserved.
  void Remove(const std::set<int>& reserved);
  // Makes the cores of an allocation free again.
  void Give(const ReservedCores& reserved);

  // Takes the lowest free cores for each task of GROUP that reserves any. No two tasks share a
  // core. Absent: there are not enough, and none is taken.
  std::optional<ReservedCores> Take(const TaskGroup& group);

 private:
  std::vector<int> free_;
};

}  // namespace drover
