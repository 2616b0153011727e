// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "host/state/node_capacity.h"
#include "host/state/scheduler_config.h"
#include "host/state/tables.h"

namespace drover {

// A job displaces only allocations of jobs whose priority is lower by at least this.
inline constexpr int kPreemptionGap = 10;

// Returns the allocations of NODE that must end so that one more of GROUP, which is a group of JOB,
// has room; none if even all that may end would not do. FREE is what is free on the node. Those
// with the lowest priority come first, then as few as possible, then the nearest fit. Only memory,
// CPU and disk are freed in this way: an allocation with cores or devices of its own is not
// displaced, and neither are those of JOB itself and those in SPARED.
AllocRecords ToPreempt(const Job& job, const TaskGroup& group, const NodeRecord& node,
                       const Tables& tables, const NodeCapacity& free,
                       const std::set<std::string>& spared);

// Returns the resources of the allocations of NODE that may be displaced, by the priority of their
// jobs. SPARED is as above.
std::map<int, GroupNeeds> Displaceable(const NodeRecord& node, const Tables& tables,
                                       const std::set<std::string>& spared);

// Returns VICTIM as it is after the allocation BY has displaced it, with the index of the write.
std::shared_ptr<const AllocRecord> Preempted(const AllocRecord& victim, const std::string& by,
                                             std::uint64_t index, WallTime now);

}  // namespace drover
