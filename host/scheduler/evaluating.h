// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/placement/placement.h"
#include "host/placement/room.h"
#include "host/reconcile/job_plan.h"

namespace drover {

// The allocations of a job that have no place yet, by group. The last allocation of each list is
// placed first.
using Unplaced = std::map<std::string, std::vector<GroupPlan::Place>>;

// The result of an evaluation.
struct Evaluated {
  Evaluation eval;
  // A new evaluation that waits for room; absent if no allocation waits, or if `eval` itself
  // waits.
  std::optional<Evaluation> blocked;
  std::vector<std::shared_ptr<const AllocRecord>> allocs;  // new and changed allocations
  std::vector<Evaluation> follow_ups;    // new evaluations that wait for their time
  std::optional<Deployment> deployment;  // new, or changed by placements; absent if neither
  std::optional<Deployment> ended;       // an older one, which this evaluation ends
  // The allocations without a place; absent if the whole job must be evaluated again.
  std::optional<Unplaced> unplaced;
  std::set<JobKey> displaced;  // jobs with allocations that had to make room
  std::size_t victims = 0;     // how many allocations had to
  std::set<Awaited> awaited;   // what the unplaced allocations wait for
  bool changed = false;        // whether there are changed allocations, or `eval` has a new outcome

  const Evaluation* waiting() const {
    if (blocked) return &*blocked;
    return eval.status == "blocked" ? &eval : nullptr;
  }
};

// What would become of a plan.
struct TriedPlan {
  // The reasons why some allocations found no place, by group.
  std::map<std::string, PlacementFailure> failed_groups;
  std::map<std::string, AllocRecords> preempted;  // what would have to make room, by group
};

// Carries out evaluations of jobs: stops, updates and places allocations. Allocations without a
// place wait in a blocked evaluation. An object of this class does not change the tables. The
// caller stores the result in the tables with the next write. But the object takes ports at once.
class Evaluating {
 public:
  // TABLES and the pointers must outlive this object. INDEX is the index of the next write. PORTS
  // may be empty if only Try is called.
  Evaluating(const Tables& tables, std::uint64_t index, PortsOf ports, WallTime now, Room* room)
      : tables_(tables), index_(index), ports_(std::move(ports)), now_(now), room_(room) {}

  // Carries out EVAL. UNPLACED are the allocations that an earlier attempt at EVAL left without a
  // place. It may be given only if the job has not changed since that attempt.
  Evaluated Run(const Evaluation& eval, bool no_shutdown_delay, std::optional<Unplaced> unplaced);
  // Tries to carry out PLAN as if JOB were in the tables. If PORTS is empty, ports are not checked.
  TriedPlan Try(std::shared_ptr<const JobRecord> job, const JobPlan& plan);

 private:
  void Begin(std::shared_ptr<const JobRecord> job, const JobKey& key);
  void BeginDeployment(const JobPlan& plan);
  void Put(AllocRecord record, std::shared_ptr<const Allocation> alloc);
  // Returns the allocation ID, with the changes that this evaluation has made so far; null if
  // there is no such allocation.
  std::shared_ptr<const AllocRecord> Find(const std::string& id) const;
  std::shared_ptr<Allocation> Changed(const AllocRecord& record) const;
  // Returns the newest state of RECORD, which was planned before other changes of it.
  AllocRecord Current(const AllocRecord& record) const;
  void Stop(const GroupPlan::Stop& stop);
  void Update(const AllocRecord& planned);
  void Disconnect(const AllocRecord& planned);
  void Reconnect(const AllocRecord& planned);
  void FollowUp(const GroupPlan::FollowUp& follow_up);
  void CarryOut(const JobPlan& plan, Unplaced* to_place);
  // Returns the deployment in which the evaluation places allocations; null if there is none.
  const Deployment* CurrentDeployment() const;
  // Counts an allocation that the deployment has placed or updated.
  void Count(const Allocation& alloc);
  // Returns the version of the job that PLACE is for.
  const Job& JobOf(const GroupPlan::Place& place) const {
    return place.job == nullptr ? *job_->job : *place.job->job;
  }
  void PlaceGroup(const TaskGroup& group, std::vector<GroupPlan::Place>* places);
  // Returns the reason if there is no place; absent if the allocation was placed.
  std::optional<NoPlace> Place(const TaskGroup& group, GroupPlan::Place* place);
  std::optional<NoPlace> StopFor(const TaskGroup& group, GroupPlan::Place* place);
  void Placed(std::shared_ptr<const JobRecord> of, std::shared_ptr<Allocation> alloc,
              const GroupPlan::Place& place);
  // Stops VICTIMS, whose room the new allocation BY takes.
  void Displace(const std::string& by, const AllocRecords& victims);
  void NotRescheduled(const std::vector<GroupPlan::Place>& places);
  void Finish(const Evaluation& before);
  void Block();

  const Tables& tables_;
  const std::uint64_t index_;
  const PortsOf ports_;
  const WallTime now_;
  Room* const room_;
  bool no_shutdown_delay_ = false;
  std::shared_ptr<const JobRecord> job_;
  std::shared_ptr<const Deployment> deployment_;  // the newest of the job, as it is stored
  GroupCounts here_;
  Evaluated out_;
  std::map<std::string, AllocRecords> preempted_;  // by group
  std::map<std::string, std::size_t> at_;          // positions in out_.allocs, by allocation id
};

}  // namespace drover
