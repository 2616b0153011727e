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
  const auto others = [this](GroupCounts open) {
    GroupCounts out;
    // Allocations that stop because the new version has fewer do not count.
    for (const TaskGroup& group : job_.groups) {
      const auto count = open.find(group.name);
      if (count != open.end()) out[group.name] = std::min(count->second, group.count);
    }
    --out[group_.name];
    return out;
  };
  if (tables_.nodes.size() == 1) {
    return UnmetConstraint(job_, group_, *node, others(tables_.OpenAllocsOf(KeyOf(job_)))).empty();
  }
  const auto open_where = [this](const auto& is_there) {
    GroupCounts open;
    for (const auto& record : tables_.AllocsOf(KeyOf(job_))) {
      const Allocation& alloc = *record->alloc;
      if (!record->terminal() && is_there(alloc.node_id)) ++open[alloc.group_name];
    }
    return open;
  };
  const auto alike = [&](const std::string& property) {
    return others(open_where([&](const std::string& id) {
      const auto other = Tables::Find(tables_.nodes, id);
      return id == node_id || (other != nullptr && HaveSame(*node, *other, property));
    }));
  };
  const GroupCounts here = open_where([&](const std::string& id) { return id == node_id; });
  return UnmetConstraint(job_, group_, *node, others(here), alike).empty();
}

}  // namespace drover
