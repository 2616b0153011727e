// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/drain.h"

#include <algorithm>
#include <utility>

#include "host/scheduler/node_events.h"

namespace drover {

namespace {

// Returns how many allocations of the group of RECORD may leave the node at the same time.
std::size_t MaxParallel(const AllocRecord& record) {
  const TaskGroup* const group = record.alloc->group();
  return group == nullptr ? 1 : static_cast<std::size_t>(std::max(group->migrate_max_parallel, 0));
}

}  // namespace

NodeRecord BeginDrain(const NodeRecord& node, const DrainSpec& spec, StringMap meta,
                      const Loop& loop) {
  const WallTime now = loop.Wall();
  NodeRecord draining = node;
  NodeDrain drain;
  drain.deadline = spec.deadline;
  drain.ignore_system_jobs = spec.ignore_system_jobs;
  // If a drain is already under way, the new drain replaces it and keeps the old start time.
  drain.started_at = node.drain ? node.drain->started_at : now;
  if (spec.deadline != Duration(0)) {
    const Duration left = std::max(spec.deadline, Duration(0));
    drain.force_at = now + left.count();
    drain.ends = loop.Now() + left;
  }
  draining.drain = drain;
  draining.eligible = false;
  draining.last_drain = LastDrain{drain.started_at, now, "draining", std::move(meta)};
  const char* const says = node.drain ? "Node drain strategy updated" : "Node drain strategy set";
  AddEvent(&draining, {"Drain", says, {}, now});
  return draining;
}

NodeRecord EndDrain(const NodeRecord& node, const char* status, WallTime now) {
  NodeRecord ended = node;
  ended.drain.reset();
  if (ended.last_drain) {
    ended.last_drain->status = status;
    ended.last_drain->updated_at = now;
  }
  return ended;
}

Duration UntilForced(const NodeDrain& drain, const Loop& loop) {
  if (drain.force_at == 0) return Duration::max();
  return drain.ends ? *drain.ends - loop.Now() : Duration(drain.force_at - loop.Wall());
}

std::vector<std::shared_ptr<const AllocRecord>> ToMigrate(const Tables& tables,
                                                          const NodeRecord& node,
                                                          const Loop& loop) {
  std::vector<std::shared_ptr<const AllocRecord>> out;
  if (!node.drain) return out;
  const bool forced = UntilForced(*node.drain, loop) <= Duration(0);
  for (auto at = tables.staying.lower_bound({node.id}); at != tables.staying.end(); ++at) {
    const auto& [group, ids] = *at;
    if (group.node_id != node.id || (group.by_itself && !forced)) break;
    const auto found = tables.leaving.find(group);
    std::size_t leaving = found == tables.leaving.end() ? 0 : found->second;
    for (const std::string& id : ids) {
      const auto& record = tables.allocs.at(id);
      if (!forced && leaving++ >= MaxParallel(*record)) break;
      out.push_back(record);
    }
  }
  return out;
}

bool IsDrained(const Tables& tables, const NodeRecord& node) {
  return std::ranges::none_of(tables.live_allocs, [&](const auto& entry) {
    return entry.second->alloc->node_id == node.id;
  });
}

}  // namespace drover
