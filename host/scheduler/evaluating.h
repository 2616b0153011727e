// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/scheduler/constraint.h"
#include "host/scheduler/node_capacity.h"
#include "host/scheduler/placement.h"
#include "host/scheduler/reconcile.h"

namespace drover {

// The node on which everything is placed; null while none is ready.
std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables);

// What of ALLOCS, which are all of one job, is on the node when PLAN has stopped what it stops.
GroupCounts CountsAfterStops(const AllocRecords& allocs, const JobPlan& plan);

// Takes room on NODE (null: none is ready) for one more allocation of GROUP of JOB from CAPACITY,
// which is the node's, counts it among those that are HERE, and tells which CORES it has got; or
// why there is none, and then nothing is taken.
std::optional<PlacementFailure> TakeRoom(const Job& job, const TaskGroup& group,
                                         const NodeRecord* node, NodeCapacity* capacity,
                                         GroupCounts* here, ReservedCores* cores);

// One evaluation of one job, inside of one write to the store: allocations are stopped, updated and
// placed, and what has no place waits in an evaluation that is blocked.
class Evaluating {
 public:
  // The pointers outlive this. INDEX is that of the write.
  Evaluating(Tables* tables, std::uint64_t index, PortPool* ports, WallTime now,
             bool no_shutdown_delay)
      : tables_(tables),
        index_(index),
        ports_(ports),
        now_(now),
        no_shutdown_delay_(no_shutdown_delay) {}

  // Carries EVAL out and puts it into the tables.
  void Run(Evaluation eval);

 private:
  void Put(AllocRecord record, std::shared_ptr<const Allocation> alloc);
  std::shared_ptr<Allocation> Changed(const AllocRecord& record) const;
  void Stop(const GroupPlan::Stop& stop);
  void Update(const AllocRecord& record, const std::shared_ptr<const JobRecord>& job);
  void PlaceAll(const std::shared_ptr<const JobRecord>& job, const std::string& group,
                const std::vector<GroupPlan::Place>& places, Evaluation* eval);
  // Tells why there is no place; nothing: it is placed.
  std::optional<PlacementFailure> Place(const std::shared_ptr<const JobRecord>& job,
                                        const TaskGroup& group, const GroupPlan::Place& place,
                                        const Evaluation& eval);
  void Placed(const std::shared_ptr<const JobRecord>& job, std::shared_ptr<Allocation> alloc,
              const GroupPlan::Place& place, const Evaluation& eval);
  void Block(Evaluation* eval);

  Tables* const tables_;
  const std::uint64_t index_;
  PortPool* const ports_;
  const WallTime now_;
  const bool no_shutdown_delay_;
  std::shared_ptr<const NodeRecord> node_;
  std::optional<NodeCapacity> capacity_;
  GroupCounts here_;
};

}  // namespace drover
