// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/datacenters.h"
#include "host/scheduler/evaluating.h"

namespace drover {
namespace {

PlacementFailure Exhausted(const std::string& dimension) {
  PlacementFailure failure;
  failure.nodes_evaluated = failure.nodes_exhausted = 1;
  failure.dimension_exhausted[dimension] = 1;
  return failure;
}

PlacementFailure Filtered(const std::string& constraint) {
  PlacementFailure failure;
  failure.nodes_evaluated = failure.nodes_filtered = 1;
  failure.constraint_filtered[constraint] = 1;
  return failure;
}

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
  if (node_ == nullptr) return failure;
  failure.nodes_in_pool = 1;
  failure.nodes_available = NodesAvailable(job.datacenters, node_->datacenter);
  return failure;
}

std::optional<PlacementFailure> Room::TakeOf(NodeCapacity* from, const Job& job,
                                             const TaskGroup& group, GroupCounts* here,
                                             ReservedCores* cores) const {
  if (node_ == nullptr) return PlacementFailure();
  if (!IsInDatacenters(job.datacenters, node_->datacenter)) return Described(job, {});
  if (!IsInRegion(job, *node_)) return Described(job, Filtered("${node.region} = " + job.region));
  const std::string unmet = UnmetConstraint(job, group, *node_, *here);
  if (!unmet.empty()) return Described(job, Filtered(unmet));
  const std::string missing = from->Take(group, cores);
  if (!missing.empty()) return Described(job, Exhausted(missing));
  ++(*here)[group.name];
  return std::nullopt;
}

std::optional<PlacementFailure> Room::Take(const Job& job, const TaskGroup& group,
                                           GroupCounts* here, ReservedCores* cores, bool counted) {
  auto failure = TakeOf(capacity(), job, group, here, cores);
  if (failure || counted) return failure;
  ReservedCores same;
  (void)later_->Take(group, &same);
  return std::nullopt;
}

std::optional<PlacementFailure> Room::TakeAfter(const Allocation& leaving, const Job& job,
                                                const TaskGroup& group, GroupCounts* here) {
  std::optional<NodeCapacity> then = later_;
  if (then) then->Give(leaving);
  GroupCounts others = *here;
  --others[leaving.group_name];
  ReservedCores cores;
  auto failure = TakeOf(then ? &*then : nullptr, job, group, &others, &cores);
  if (failure) return failure;
  later_ = std::move(then);
  *here = std::move(others);
  return std::nullopt;
}

void Room::WillLeave(const Allocation& leaving) {
  if (later_) later_->Give(leaving);
}

}  // namespace drover
