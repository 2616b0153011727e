// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/scheduler/awaited.h"
#include "host/scheduler/constraint.h"
#include "host/scheduler/placement.h"
#include "host/scheduler/reconcile.h"

namespace drover {

// The node on which everything is placed; null while none is ready.
std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables);

// What is to be placed of each group of a job and has no place yet; the first is the last of each.
using Unplaced = std::map<std::string, std::vector<GroupPlan::Place>>;

// The room on a node, for one evaluation after another.
class Room {
 public:
  // NODE null: none is ready.
  Room(std::shared_ptr<const NodeRecord> node, const Tables& tables);

  const NodeRecord* node() const { return node_.get(); }
  NodeCapacity* capacity() { return capacity_ ? &*capacity_ : nullptr; }

  // Takes room for one more allocation of GROUP of JOB, counts it among those that are HERE, and
  // tells which CORES it has got; or why there is none, and then nothing is taken. COUNTED: by
  // TakeAfter already.
  std::optional<NoPlace> Take(const Job& job, const TaskGroup& group, GroupCounts* here,
                              ReservedCores* cores, bool counted);
  // Takes the room that there will be when LEAVING and all others that stop have ended.
  std::optional<NoPlace> TakeAfter(const Allocation& leaving, const Job& job,
                                   const TaskGroup& group, GroupCounts* here);
  // What stops leaves room behind, later.
  void WillLeave(const Allocation& leaving);
  // A new evaluation begins, which has stopped nothing yet.
  void Begin() { later_ = capacity_; }
  // FAILURE with what is known of the nodes before one of them is looked at.
  PlacementFailure Described(const Job& job, PlacementFailure failure) const;

 private:
  std::optional<NoPlace> TakeOf(NodeCapacity* from, const Job& job, const TaskGroup& group,
                                GroupCounts* here, ReservedCores* cores) const;

  std::shared_ptr<const NodeRecord> node_;
  std::optional<NodeCapacity> capacity_;
  std::optional<NodeCapacity> later_;  // when all that this evaluation stops has ended
};

// What an evaluation leads to.
struct Evaluated {
  Evaluation eval;
  std::optional<Evaluation> blocked;  // in which the rest waits, if EVAL is not that itself
  std::vector<std::shared_ptr<const AllocRecord>> allocs;  // as they are then
  // Absent: all of the job must be looked at again.
  std::optional<Unplaced> unplaced;
  std::set<Awaited> awaited;  // what the rest waits for
  bool changed = false;       // something of all this is another than before

  const Evaluation* waiting() const {
    if (blocked) return &*blocked;
    return eval.status == "blocked" ? &eval : nullptr;
  }
};

// One evaluation of one job: allocations are stopped, updated and placed, and what has no place
// waits in an evaluation that is blocked. Nothing is written: that is done with what this returns,
// by the next write. The ports are taken.
class Evaluating {
 public:
  // The pointers outlive this. INDEX is that of the next write. PORTS may be null for Try.
  Evaluating(const Tables& tables, std::uint64_t index, PortPool* ports, WallTime now, Room* room)
      : tables_(tables), index_(index), ports_(ports), now_(now), room_(room) {}

  // Carries out EVAL. UNPLACED: the rest that an earlier look at EVAL has left, since when nobody
  // has wanted anything else of the job.
  Evaluated Run(const Evaluation& eval, bool no_shutdown_delay, std::optional<Unplaced> unplaced);
  // Why not all of PLAN could be carried out if JOB were that of the tables; ports are not looked
  // at, and nothing is taken but from the room.
  std::map<std::string, PlacementFailure> Try(std::shared_ptr<const JobRecord> job,
                                              const JobPlan& plan);

 private:
  void Begin(std::shared_ptr<const JobRecord> job, const JobKey& key);
  void Put(AllocRecord record, std::shared_ptr<const Allocation> alloc);
  // As it is after what was done so far; null: it is not there.
  std::shared_ptr<const AllocRecord> Find(const std::string& id) const;
  std::shared_ptr<Allocation> Changed(const AllocRecord& record) const;
  void Stop(const AllocRecord& record, const std::string& description);
  void Update(const AllocRecord& record);
  void CarryOut(const JobPlan& plan, Unplaced* to_place);
  void PlaceGroup(const TaskGroup& group, std::vector<GroupPlan::Place>* places);
  // Tells why there is no place; nothing: it is placed.
  std::optional<NoPlace> Place(const TaskGroup& group, GroupPlan::Place* place);
  std::optional<NoPlace> StopFor(const TaskGroup& group, GroupPlan::Place* place);
  void Placed(std::shared_ptr<Allocation> alloc, const GroupPlan::Place& place);
  void Finish(const Evaluation& before);
  void Block();

  const Tables& tables_;
  const std::uint64_t index_;
  PortPool* const ports_;
  const WallTime now_;
  Room* const room_;
  bool no_shutdown_delay_ = false;
  std::shared_ptr<const JobRecord> job_;
  GroupCounts here_;
  Evaluated out_;
  std::map<std::string, std::size_t> at_;  // where out_.allocs has an allocation
};

}  // namespace drover
