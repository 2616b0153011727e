// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "host/scheduler/awaited.h"
#include "host/scheduler/constraint.h"
#include "host/scheduler/device_use.h"
#include "host/scheduler/placement.h"
#include "host/scheduler/volume_use.h"

namespace drover {

// Returns the node on which all allocations are placed; null if no node is ready and eligible.
std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables);

// The parts of a node that an allocation has alone.
struct TakenParts {
  ReservedCores cores;
  AllocatedDevices devices;
  std::shared_ptr<const NodeRecord> node = nullptr;  // that has them
};

// The free room on a node. Several evaluations, one after another, take room from the same object.
class Room {
 public:
  // NODE is null if no node is ready. TABLES must outlive this object.
  Room(std::shared_ptr<const NodeRecord> node, const Tables& tables);

  const NodeRecord* node() const { return node_.get(); }
  NodeCapacity* capacity() { return free_ ? &free_->capacity : nullptr; }

  // Takes room for the allocation INDEX of GROUP, which is a group of JOB. Counts the allocation in
  // HERE, and sets PARTS to its cores and devices. If there is no room, returns the reason and
  // takes nothing. If TakeAfter has been called for this allocation before, COUNTED must be true.
  std::optional<NoPlace> Take(const Job& job, const TaskGroup& group, int index, GroupCounts* here,
                              TakenParts* parts, bool counted);
  // Like Take, but takes the room that the node will have after the stopped allocations and LEAVING
  // have ended.
  std::optional<NoPlace> TakeAfter(const Allocation& leaving, const Job& job,
                                   const TaskGroup& group, int index, GroupCounts* here);
  // Adds the room of LEAVING, which will stop, to `later_`.
  void WillLeave(const Allocation& leaving);
  // Begins a new evaluation, which has not stopped any allocation yet.
  void Begin() { later_ = free_; }
  // Returns FAILURE with three more facts: the node pool of JOB, the number of nodes in it, and the
  // number of available nodes by datacenter.
  PlacementFailure Described(const Job& job, PlacementFailure failure) const;

 private:
  struct Free {
    NodeCapacity capacity;
    VolumeUse volumes;
    DeviceUse devices;
  };

  // Returns the usage of the node; null if there is none.
  const NodeUsage* Usage() const;
  std::optional<NoPlace> TakeOf(Free* from, const Job& job, const TaskGroup& group, int index,
                                GroupCounts* here, TakenParts* parts) const;

  std::shared_ptr<const NodeRecord> node_;
  const Tables* tables_;
  std::optional<Free> free_;
  // What is free after all allocations that this evaluation stops have ended.
  std::optional<Free> later_;
};

}  // namespace drover
