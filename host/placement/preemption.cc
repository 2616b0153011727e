// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/preemption.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "host/reconcile/reconcile.h"

namespace drover {
namespace {

bool Fits(NodeCapacity capacity, const TaskGroup& group) {
  ReservedCores cores;
  return capacity.Take(group, &cores).empty();
}

// Returns how far the resources of an allocation are from those of GROUP, in shares of the latter.
double Distance(const GroupNeeds& wanted, const Allocation& of) {
  const TaskGroup* const group = of.group();
  const GroupNeeds has = group == nullptr ? GroupNeeds() : NeedsOf(*group);
  const auto part = [](std::int64_t a, std::int64_t b) {
    return a == 0 ? 0.0 : static_cast<double>(a - b) / static_cast<double>(a);
  };
  return std::hypot(part(wanted.cpu_mhz, has.cpu_mhz), part(wanted.memory_mb, has.memory_mb),
                    part(wanted.disk_mb, has.disk_mb));
}

bool IsDisplaceable(const AllocRecord& record, const std::string& node_id) {
  const Allocation& alloc = *record.alloc;
  return alloc.node_id == node_id && !record.terminal() && alloc.cores.empty() &&
         alloc.devices.empty();
}

bool MayDisplace(const Job& job, const AllocRecord& record, const std::string& node_id) {
  const Job& other = *record.alloc->job;
  // An earlier version of the same job, with another priority, is for the job itself to stop.
  return other.priority + kPreemptionGap <= job.priority && IsDisplaceable(record, node_id) &&
         KeyOf(other) != KeyOf(job);
}

}  // namespace

AllocRecords ToPreempt(const Job& job, const TaskGroup& group, const NodeRecord& node,
                       const Tables& tables, const NodeCapacity& free,
                       const std::set<std::string>& spared) {
  // The order is by priority, then by distance, and at last by id.
  std::vector<std::tuple<int, double, std::string_view, std::shared_ptr<const AllocRecord>>> order;
  const GroupNeeds wanted = NeedsOf(group);
  for (const auto& [id, record] : tables.live_allocs) {
    if (spared.contains(id) || !MayDisplace(job, *record, node.id)) continue;
    order.emplace_back(record->alloc->job->priority, Distance(wanted, *record->alloc), id, record);
  }
  std::ranges::sort(order);
  NodeCapacity capacity = free;
  AllocRecords victims;
  for (const auto& [priority, distance, id, record] : order) {
    capacity.Give(*record->alloc);
    victims.push_back(record);
    if (Fits(capacity, group)) break;
  }
  if (victims.empty() || !Fits(capacity, group)) return {};
  // The last ones may do without some of the first. Those with the highest priority are spared
  // first.
  AllocRecords needed;
  for (std::size_t left = victims.size(); !victims.empty(); victims.pop_back()) {
    const TaskGroup* const of_victim = victims.back()->alloc->group();
    NodeCapacity without = capacity;
    ReservedCores none;  // a victim has no cores
    const bool may_stay = of_victim == nullptr || without.Take(*of_victim, &none).empty();
    if (left > 1 && may_stay && Fits(without, group)) {
      capacity = std::move(without);
      --left;
    } else {
      needed.push_back(std::move(victims.back()));
    }
  }
  std::ranges::reverse(needed);
  return needed;
}

std::map<int, GroupNeeds> Displaceable(const NodeRecord& node, const Tables& tables,
                                       const std::set<std::string>& spared) {
  std::map<int, GroupNeeds> sums;
  for (const auto& [id, record] : tables.live_allocs) {
    if (spared.contains(id) || !IsDisplaceable(*record, node.id)) continue;
    const TaskGroup* const group = record->alloc->group();
    if (group == nullptr) continue;
    const GroupNeeds has = NeedsOf(*group);
    GroupNeeds& sum = sums[record->alloc->job->priority];
    sum.cpu_mhz += has.cpu_mhz;
    sum.memory_mb += has.memory_mb;
    sum.disk_mb += has.disk_mb;
  }
  return sums;
}

std::shared_ptr<const AllocRecord> Preempted(const AllocRecord& victim, const std::string& by,
                                             std::uint64_t index, WallTime now) {
  auto alloc = std::make_shared<Allocation>(*victim.alloc);
  alloc->desired_status = DesiredStatus::kEvict;
  alloc->desired_description = std::string(stop_reason::kPreempted) + by;
  alloc->modify_index = alloc->alloc_modify_index = index;
  alloc->modify_time = now;
  auto changed = std::make_shared<AllocRecord>(victim);
  AllocChange change = victim.changes();
  change.preempted_by = by;
  changed->change = std::make_shared<const AllocChange>(std::move(change));
  changed->alloc = std::move(alloc);
  changed->modify_index = index;
  changed->modify_time = now;
  return changed;
}

}  // namespace drover
