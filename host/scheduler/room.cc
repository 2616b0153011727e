// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/datacenters.h"
#include "host/scheduler/evaluating.h"

namespace drover {
namespace {

NoPlace Exhausted(const std::string& dimension) {
  NoPlace none;
  none.failure.nodes_evaluated = none.failure.nodes_exhausted = 1;
  none.failure.dimension_exhausted[dimension] = 1;
  return none;
}

NoPlace Filtered(const std::string& constraint) {
  NoPlace none;
  none.failure.nodes_evaluated = none.failure.nodes_filtered = 1;
  none.failure.constraint_filtered[constraint] = 1;
  none.awaited.what = Awaited::What::kNode;
  return none;
}

NoPlace NoNode() { return {{}, {Awaited::What::kNode}}; }

}  // namespace

std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables) {
  for (const auto& [id, node] : tables.nodes) {
    if (node->status == "ready" && node->eligible) return node;
  }
  return nullptr;
}

Room::Room(std::shared_ptr<const NodeRecord> node, const Tables& tables) : node_(std::move(node)) {
  if (node_) capacity_.emplace(*node_, tables);
  later_ = capacity_;
}

PlacementFailure Room::Described(const Job& job, PlacementFailure failure) const {
  failure.node_pool = job.node_pool;
  if (node_ == nullptr || !IsInNodePool(job, *node_)) return failure;
  failure.nodes_in_pool = 1;
  failure.nodes_available = NodesAvailable(job.datacenters, node_->datacenter);
  return failure;
}

std::optional<NoPlace> Room::TakeOf(NodeCapacity* from, const Job& job, const TaskGroup& group,
                                    GroupCounts* here, ReservedCores* cores) const {
  if (node_ == nullptr || !IsInNodePool(job, *node_) ||
      !IsInDatacenters(job.datacenters, node_->datacenter)) {
    return NoNode();
  }
  if (!IsInRegion(job, *node_)) return Filtered("${node.region} = " + job.region);
  const std::string unmet = UnmetConstraint(job, group, *node_, *here);
  if (!unmet.empty()) {
    NoPlace none = Filtered(unmet);
    if (!UnmetConstraint(job, group, *node_, {}).empty()) return none;
    none.awaited = {Awaited::What::kEnd, 0, KeyOf(job)};
    return none;
  }
  const std::string missing = from->Take(group, cores);
  if (!missing.empty()) return Exhausted(missing);
  ++(*here)[group.name];
  return std::nullopt;
}

std::optional<NoPlace> Room::Take(const Job& job, const TaskGroup& group, GroupCounts* here,
                                  ReservedCores* cores, bool counted) {
  auto none = TakeOf(capacity(), job, group, here, cores);
  if (none || counted) return none;
  ReservedCores same;
  (void)later_->Take(group, &same);
  return std::nullopt;
}

std::optional<NoPlace> Room::TakeAfter(const Allocation& leaving, const Job& job,
                                       const TaskGroup& group, GroupCounts* here) {
  std::optional<NodeCapacity> then = later_;
  if (then) then->Give(leaving);
  GroupCounts others = *here;
  --others[leaving.group_name];
  ReservedCores cores;
  auto none = TakeOf(then ? &*then : nullptr, job, group, &others, &cores);
  if (none) return none;
  later_ = std::move(then);
  *here = std::move(others);
  return std::nullopt;
}

void Room::WillLeave(const Allocation& leaving) {
  if (later_) later_->Give(leaving);
}

}  // namespace drover
