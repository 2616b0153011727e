// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/in_place.h"

#include <algorithm>

#include "host/placement/constraint.h"
#include "host/placement/datacenters.h"

namespace drover {
bool InPlaceUpdate::Allows(const AllocRecord& record) {
  const Allocation& alloc = *record.alloc;
  const auto [answer, is_new] = answers_.try_emplace({alloc.job.get(), alloc.node_id});
  if (is_new) {
    answer->second = CanUpdateInPlace(*alloc.job, job_, group_.name) && MayStayOn(alloc.node_id);
  }
  return answer->second;
}

bool InPlaceUpdate::MayStayOn(const std::string& node_id) const {
  const auto node = Tables::Find(tables_.nodes, node_id);
  // The attributes of a node are not stored. After a start of the agent, they are unknown until the
  // node has registered. Then the allocation waits for that, like one that needs a replacement.
  if (node == nullptr || node->status == "initializing") return false;
  if (!IsInDatacenters(job_.datacenters, node->datacenter) || !IsInNodePool(job_, *node) ||
      !IsInRegion(job_, *node)) {
    return false;
  }
  // Allocations that stop because the new version has fewer do not count.
  const GroupCounts& open = tables_.OpenAllocsOf(KeyOf(job_));
  GroupCounts others;
  for (const TaskGroup& group : job_.groups) {
    const auto count = open.find(group.name);
    if (count != open.end()) others[group.name] = std::min(count->second, group.count);
  }
  --others[group_.name];
  return UnmetConstraint(job_, group_, *node, others).empty();
}

}  // namespace drover
