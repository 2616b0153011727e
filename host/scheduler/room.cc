// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/room.h"

#include "host/scheduler/datacenters.h"

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

NoPlace NoVolume(VolumeFit fit) {
  NoPlace none = Filtered(kNoVolumes);
  none.awaited.what = fit == VolumeFit::kBusy ? Awaited::What::kVolume : Awaited::What::kNode;
  return none;
}

NoPlace NoDevice(DeviceFit fit) {
  if (fit == DeviceFit::kMissing) return Filtered(kNoDevices);
  NoPlace none = Exhausted(kDevicesInUse);
  none.awaited.what = Awaited::What::kDevice;
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

Room::Room(std::shared_ptr<const NodeRecord> node, const Tables& tables)
    : node_(std::move(node)), tables_(&tables) {
  if (node_) free_.emplace(Free{NodeCapacity(*node_, tables), {}, {}});
  later_ = free_;
}

const NodeUsage* Room::Usage() const {
  const auto used = tables_->usage.find(node_->id);
  return used == tables_->usage.end() ? nullptr : &used->second;
}

PlacementFailure Room::Described(const Job& job, PlacementFailure failure) const {
  failure.node_pool = job.node_pool;
  if (node_ == nullptr || !IsInNodePool(job, *node_)) return failure;
  failure.nodes_in_pool = 1;
  failure.nodes_available = NodesAvailable(job.datacenters, node_->datacenter);
  return failure;
}

std::optional<NoPlace> Room::TakeOf(Free* from, const Job& job, const TaskGroup& group, int index,
                                    GroupCounts* here, TakenParts* parts) const {
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
  VolumeUse volumes = from->volumes;
  const VolumeFit fit = volumes.Take(*tables_, *node_, job, group, index);
  if (fit != VolumeFit::kFits) return NoVolume(fit);
  DeviceUse devices = from->devices;
  const DeviceFit device_fit = devices.Take(*node_, Usage(), group, &parts->devices);
  if (device_fit != DeviceFit::kFits) return NoDevice(device_fit);
  const std::string missing = from->capacity.Take(group, &parts->cores);
  if (!missing.empty()) return Exhausted(missing);
  from->volumes = std::move(volumes);
  from->devices = std::move(devices);
  parts->node = node_;
  ++(*here)[group.name];
  return std::nullopt;
}

std::optional<NoPlace> Room::Take(const Job& job, const TaskGroup& group, int index,
                                  GroupCounts* here, TakenParts* parts, bool counted) {
  auto none = TakeOf(free_ ? &*free_ : nullptr, job, group, index, here, parts);
  if (none || counted) return none;
  TakenParts same;
  (void)later_->capacity.Take(group, &same.cores);
  (void)later_->volumes.Take(*tables_, *node_, job, group, index);
  (void)later_->devices.Take(*node_, Usage(), group, &same.devices);
  return std::nullopt;
}

std::optional<NoPlace> Room::TakeAfter(const Allocation& leaving, const Job& job,
                                       const TaskGroup& group, int index, GroupCounts* here) {
  std::optional<Free> then = later_;
  if (then) {
    then->capacity.Give(leaving);
    then->volumes.Give(leaving);
    then->devices.Give(leaving);
  }
  GroupCounts others = *here;
  --others[leaving.group_name];
  TakenParts parts;
  auto none = TakeOf(then ? &*then : nullptr, job, group, index, &others, &parts);
  if (none) return none;
  later_ = std::move(then);
  *here = std::move(others);
  return std::nullopt;
}

void Room::WillLeave(const Allocation& leaving) {
  if (!later_) return;
  later_->capacity.Give(leaving);
  later_->volumes.Give(leaving);
  later_->devices.Give(leaving);
}

}  // namespace drover
