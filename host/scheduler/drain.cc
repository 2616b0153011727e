// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/drain.h"

#include <algorithm>
#include <utility>

#include "host/scheduler/node_events.h"
#include "host/spec/job_limits.h"

namespace drover {

namespace {

// Returns how many allocations of the group of RECORD may leave the node at the same time.
std::size_t MaxParallel(const AllocRecord& record) {
  const TaskGroup* const group = record.alloc->group();
  return group == nullptr ? 1 : static_cast<std::size_t>(std::max(group->migrate_max_parallel, 0));
}

bool IsOfSystem(JobType type) { return type == JobType::kSystem || type == JobType::kSysbatch; }

bool IsOfSystem(const Tables& tables, const DrainGroup& group) {
  const JobAllocs& allocs = tables.AllocsOf(group.job);
  return !allocs.empty() && IsOfSystem((*allocs.begin())->alloc->job->type);
}

// Calls LOOK for the groups of GROUPS that are on the node, until it returns true.
template <typename Groups, typename Look>
bool AnyOn(const Groups& groups, const std::string& node_id, const Look& look) {
  for (auto at = groups.lower_bound(DrainGroup{node_id}); at != groups.end(); ++at) {
    if (at->first.node_id != node_id) break;
    if (look(at->first)) return true;
  }
  return false;
}

// Returns whether another node could take what leaves the node ID.
bool HasOthers(const Tables& tables, const std::string& id) {
  return std::ranges::any_of(tables.nodes, [&id](const auto& entry) {
    const NodeRecord& node = *entry.second;
    return node.id != id && node.eligible && node.status == node_status::kReady;
  });
}

// Returns whether the place of RECORD, which has left its node, is filled again or stays empty.
bool IsReplaced(const Tables& tables, const AllocRecord& record, WallTime now) {
  if (record.next.empty()) {
    // Only an evaluation that waits for room for the group will still replace it.
    const auto& open = tables.OpenEvalsOf(KeyOf(*record.alloc->job));
    return std::ranges::none_of(open, [&](std::string_view id) {
      return tables.evals.at(id)->failed_groups.contains(record.alloc->group_name);
    });
  }
  const auto next = Tables::Find(tables.allocs, record.next);
  if (next == nullptr || next->terminal()) return true;
  if (next->reported.status.status == ClientStatus::kPending) return false;
  if (next->reported.health) return next->reported.health->healthy;
  const TaskGroup* const group = next->alloc->group();
  // Its node gives its verdict by then.
  return group == nullptr ||
         now > next->alloc->create_time + Bounded(group->migrate_health.healthy_deadline).count();
}

// Returns how many allocations of GROUP have left the node and are not replaced yet.
std::size_t Unreplaced(const Tables& tables, const DrainGroup& group, WallTime now) {
  return static_cast<std::size_t>(
      std::ranges::count_if(tables.AllocsOf(group.job), [&](const auto& record) {
        const Allocation& alloc = *record->alloc;
        return record->migrate && record->client_terminal() && alloc.node_id == group.node_id &&
               alloc.group_name == group.name && !IsReplaced(tables, *record, now);
      }));
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
  const bool alone = !HasOthers(tables, node.id);
  const auto is_other = [&](const DrainGroup& group) { return !IsOfSystem(tables, group); };
  // System jobs leave last, since the others may need them.
  const bool system_goes =
      !node.drain->ignore_system_jobs && (forced || (!AnyOn(tables.staying, node.id, is_other) &&
                                                     !AnyOn(tables.leaving, node.id, is_other)));
  for (auto at = tables.staying.lower_bound({node.id}); at != tables.staying.end(); ++at) {
    const auto& [group, ids] = *at;
    if (group.node_id != node.id || (group.by_itself && !forced)) break;
    const bool of_system = IsOfSystem(tables, group);
    if (of_system && !system_goes) continue;
    const auto found = tables.leaving.find(group);
    std::size_t leaving = found == tables.leaving.end() ? 0 : found->second;
    if (!alone && !forced && !of_system) leaving += Unreplaced(tables, group, loop.Wall());
    for (const std::string& id : ids) {
      const auto& record = tables.allocs.at(id);
      if (!forced && leaving++ >= MaxParallel(*record)) break;
      out.push_back(record);
    }
  }
  return out;
}

bool IsDrained(const Tables& tables, const NodeRecord& node) {
  const bool ignores = node.drain && node.drain->ignore_system_jobs;
  return std::ranges::none_of(tables.live_allocs, [&](const auto& entry) {
    const Allocation& alloc = *entry.second->alloc;
    return alloc.node_id == node.id && !(ignores && IsOfSystem(alloc.job->type));
  });
}

}  // namespace drover
