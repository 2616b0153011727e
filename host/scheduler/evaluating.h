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

// The node on which everything is placed; null while none is ready and eligible.
std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables);

// The allocations without a place yet, by group of a job. The last of each list is placed first.
using Unplaced = std::map<std::string, std::vector<GroupPlan::Place>>;

// The room on a node, which one evaluation after another takes.
class Room {
 public:
  // NODE null: none is ready.
  Room(std::shared_ptr<const NodeRecord> node, const Tables& tables);

  const NodeRecord* node() const { return node_.get(); }
  NodeCapacity* capacity() { return capacity_ ? &*capacity_ : nullptr; }

  // Takes room for one more allocation of GROUP of JOB, counts it in HERE and sets its CORES. On a
  // failure, nothing is taken. COUNTED: TakeAfter has taken its later room already.
  std::optional<NoPlace> Take(const Job& job, const TaskGroup& group, GroupCounts* here,
                              ReservedCores* cores, bool counted);
  // Takes room that will be free after LEAVING and all others that stop have ended.
  std::optional<NoPlace> TakeAfter(const Allocation& leaving, const Job& job,
                                   const TaskGroup& group, GroupCounts* here);
  // LEAVING stops, so its room will be free later.
  void WillLeave(const Allocation& leaving);
  // Begins a new evaluation, which has stopped nothing yet.
  void Begin() { later_ = capacity_; }
  // Returns FAILURE with the nodes in the pool and, by datacenter, those that are available.
  PlacementFailure Described(const Job& job, PlacementFailure failure) const;

 private:
  std::optional<NoPlace> TakeOf(NodeCapacity* from, const Job& job, const TaskGroup& group,
                                GroupCounts* here, ReservedCores* cores) const;

  std::shared_ptr<const NodeRecord> node_;
  std::optional<NodeCapacity> capacity_;
  std::optional<NodeCapacity> later_;  // after all that this evaluation stops has ended
};

// The result of an evaluation.
struct Evaluated {
  Evaluation eval;
  std::optional<Evaluation> blocked;  // waits for room, unless EVAL itself does
  std::vector<std::shared_ptr<const AllocRecord>> allocs;  // new and changed ones
  // Absent: the whole job must be reconciled again.
  std::optional<Unplaced> unplaced;
  std::set<Awaited> awaited;  // what the unplaced allocations wait for
  bool changed = false;       // anything differs from before

  const Evaluation* waiting() const {
    if (blocked) return &*blocked;
    return eval.status == "blocked" ? &eval : nullptr;
  }
};

// Carries out evaluations of jobs: stops, updates and places allocations. Those without a place
// wait in a blocked evaluation. Writes nothing: the caller writes the result with the next write.
// Ports are taken at once.
class Evaluating {
 public:
  // TABLES and the pointers outlive this. INDEX is that of the next write. PORTS may be null for
  // Try.
  Evaluating(const Tables& tables, std::uint64_t index, PortPool* ports, WallTime now, Room* room)
      : tables_(tables), index_(index), ports_(ports), now_(now), room_(room) {}

  // Carries out EVAL. UNPLACED: the allocations that an earlier attempt at EVAL left without a
  // place; the job must not have changed since.
  Evaluated Run(const Evaluation& eval, bool no_shutdown_delay, std::optional<Unplaced> unplaced);
  // Returns, by group, why not all of PLAN could be carried out if JOB were in the tables. Without
  // PORTS, ports are ignored and only room is taken.
  std::map<std::string, PlacementFailure> Try(std::shared_ptr<const JobRecord> job,
                                              const JobPlan& plan);

 private:
  void Begin(std::shared_ptr<const JobRecord> job, const JobKey& key);
  void Put(AllocRecord record, std::shared_ptr<const Allocation> alloc);
  // Returns the allocation with the changes so far; null: there is none.
  std::shared_ptr<const AllocRecord> Find(const std::string& id) const;
  std::shared_ptr<Allocation> Changed(const AllocRecord& record) const;
  void Stop(const AllocRecord& record, const std::string& description);
  void Update(const AllocRecord& record);
  void CarryOut(const JobPlan& plan, Unplaced* to_place);
  void PlaceGroup(const TaskGroup& group, std::vector<GroupPlan::Place>* places);
  // Returns why there is no place; absent: it is placed.
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
  std::map<std::string, std::size_t> at_;  // positions in out_.allocs, by id
};

}  // namespace drover
