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

using ReservedCores = std::map<std::string, std::vector<int>>;  // by task, in their order

// The cores of a node that no task has reserved.
class CorePool {
 public:
  // CORES are in their order.
  explicit CorePool(std::vector<int> cores) : free_(std::move(cores)) {}

  std::size_t size() const { return free_.size(); }

  // What allocations have is not free.
  void Remove(const std::set<int>& reserved);
  // What an allocation had is free again.
  void Give(const ReservedCores& reserved);

  // The lowest cores for each task of GROUP that reserves any; none belongs to two tasks. Absent:
  // there are not enough, and none is taken.
  std::optional<ReservedCores> Take(const TaskGroup& group);

 private:
  std::vector<int> free_;
};

}  // namespace drover
