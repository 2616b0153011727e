// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/reconcile/job_plan.h"
#include "host/state/tables.h"

namespace drover {

using SharedAlloc = std::shared_ptr<const AllocRecord>;
using NodeRecords = std::map<std::string, std::shared_ptr<const NodeRecord>>;

// All that a plan depends on. The pointers must not be null, apart from `job`.
struct ReconcileInput {
  const JobRecord* job = nullptr;  // the wanted version, maybe not stored yet; null if purged
  const JobAllocs* allocs = nullptr;
  const NodeRecords* nodes = nullptr;
  std::shared_ptr<const Deployment> deployment = nullptr;  // the newest of the job; null if none
  // The ids of the job's open evaluations. A follow-up that is not among them is made anew. If this
  // is null, all follow-ups count as open.
  const std::set<std::string_view>* open_evals = nullptr;
  std::string eval_id = {};  // the evaluation that is carried out, as in AllocChange
  int eval_priority = 0;     // for a new deployment
  WallTime now = 0;
  // Whether a live allocation can take over the wanted version of its job where it is.
  std::function<bool(const AllocRecord& record, const TaskGroup& group)> can_update = {};
  // Whether a system job may have an allocation of the group on the node: datacenter, pool, region
  // and constraints. Asked only of ready nodes.
  std::function<bool(const NodeRecord& node, const TaskGroup& group)> may_run = {};
};

// Returns what must happen so that the job is as wanted. Has no effect, and reads no clock.
JobPlan Reconcile(const ReconcileInput& input);

// Returns whether the job has allocations on each node, and not a number of them.
bool IsPerNode(const JobRecord& job);

// Returns whether TO differs from FROM in nothing but smaller counts. Then it begins no deployment.
bool HasOnlyFewer(const Job& from, const Job& to);

// The parts of Reconcile, for its files and tests.

// The place of an allocation in its group: its index and, for a job that has allocations on each
// node, the node.
using Slot = std::pair<std::string, int>;

// The live and the ended allocations of a group, by what their node and their state mean for them.
// An allocation of an older version that has ended is in none of them if the wanted version may
// have a new one in its place.
struct AllocSets {
  AllocRecords run;            // healthy node, desired to run, not ended
  AllocRecords stop;           // must stop, and nothing replaces it; its index stays taken
  AllocRecords migrate;        // asked to leave (drain, alloc stop)
  AllocRecords lost;           // the node is down (and lost_after has passed, if the group has it)
  AllocRecords disconnecting;  // the node has no contact, and the allocation is not unknown yet
  AllocRecords unknown;        // unknown, still within lost_after
  AllocRecords reconnecting;   // was unknown, its node has reported again, and it has a replacement
  AllocRecords reconnected;    // the same without a replacement; they are in another set, too
  AllocRecords replace_now;    // failed, and its policy allows a replacement now
  std::vector<GroupPlan::FollowUp> replace_later;
  // The ends of `unknown` ones for which no evaluation waits yet.
  std::vector<GroupPlan::FollowUp> unknown_later;
  AllocRecords ended;  // needs nothing, but keeps its index taken
  // Those above whose slot is by now that of their replacement.
  std::set<const AllocRecord*> replaced;
  // Stopped for a replacement that has no place yet.
  std::map<Slot, std::shared_ptr<const AllocRecord>> unreplaced;
};
AllocSets SortAllocs(const ReconcileInput& input, const TaskGroup& group);

// Of an original that has come back and the replacement in its place, returns the one that stays.
const AllocRecord& ToKeep(const AllocRecord& original, const AllocRecord& replacement,
                          DisconnectPolicy::Reconcile how);

// Returns whether RECORD, an allocation of the job that has ended or was stopped, needs no new
// allocation in its place, apart from reschedules. JOB is the wanted version of the job.
bool NeedsNoOther(const AllocRecord& record, const JobRecord& job, const JobAllocs& allocs);

// Returns whether RECORD has ended or must stop, and JOB, the wanted version of its job, may have
// another allocation in its place, which is not placed yet.
bool AwaitsReplacement(const AllocRecord& record, const JobRecord& job, const JobAllocs& allocs);

// The descriptions of stopped allocations.
namespace stop_reason {
inline constexpr std::string_view kNotNeeded = "alloc not needed due to job update";
inline constexpr std::string_view kUpdated = "alloc is being updated due to job update";
inline constexpr std::string_view kMigrated = "alloc is being migrated";
inline constexpr std::string_view kRescheduled = "alloc was rescheduled because it failed";
inline constexpr std::string_view kLost = "alloc is lost since its node is down";
inline constexpr std::string_view kTainted = "alloc not needed as node is tainted";
inline constexpr std::string_view kReconnected =
    "alloc not needed due to disconnected client reconnect";
inline constexpr std::string_view kUnknown = "alloc is unknown since its node is disconnected";
inline constexpr std::string_view kPreempted = "Preempted by alloc ID ";  // and the id
}  // namespace stop_reason

}  // namespace drover
