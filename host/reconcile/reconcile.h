// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "host/reconcile/job_plan.h"
#include "host/state/tables.h"

namespace drover {

using NodeRecords = std::map<std::string, std::shared_ptr<const NodeRecord>>;

// All that a plan depends on. The pointers must not be null, apart from `job`.
struct ReconcileInput {
  const JobRecord* job = nullptr;  // the wanted version, maybe not stored yet; null if purged
  const JobAllocs* allocs = nullptr;
  const NodeRecords* nodes = nullptr;
  // The stored versions of the job; null if there is none. For replacements of an older version.
  const std::map<std::uint64_t, std::shared_ptr<const JobRecord>>* versions = nullptr;
  std::shared_ptr<const Deployment> deployment = nullptr;  // the newest of the job; null if none
  std::string eval_id = {};  // the evaluation that is carried out, as in AllocChange
  int eval_priority = 0;     // for a new deployment
  WallTime now = 0;
  // Whether a live allocation can take over the wanted version of its job where it is.
  std::function<bool(const AllocRecord& record, const TaskGroup& group)> can_update = {};
  // Whether a system job may have an allocation of the group on the node: datacenter, pool,
  // constraints, eligibility.
  std::function<bool(const NodeRecord& node, const TaskGroup& group)> may_run = {};
};

// Returns what must happen so that the job is as wanted. Has no effect, and reads no clock.
JobPlan Reconcile(const ReconcileInput& input);

// The parts of Reconcile, for its files and tests.

// The live and the ended allocations of a group, by what their node and their state mean for them.
struct AllocSets {
  AllocRecords run;            // healthy node, desired to run, not ended
  AllocRecords migrate;        // asked to leave (drain, alloc stop)
  AllocRecords lost;           // the node is down (and lost_after has passed, if the group has it)
  AllocRecords disconnecting;  // the node is disconnected, and the allocation is not unknown yet
  AllocRecords unknown;        // unknown, still within lost_after
  AllocRecords reconnecting;   // was unknown, and its node has reported again
  AllocRecords replace_now;    // failed, and its policy allows a replacement now
  std::vector<GroupPlan::FollowUp> replace_later;
  AllocRecords ended;  // needs nothing, but keeps its index taken
};
AllocSets SortAllocs(const ReconcileInput& input, const TaskGroup& group);

// Of an original that has come back and the replacement in its place, returns the one that stays.
const AllocRecord& ToKeep(const AllocRecord& original, const AllocRecord& replacement,
                          DisconnectPolicy::Reconcile how);

// Returns whether RECORD, an allocation of the job that has ended, needs no new allocation in its
// place, apart from reschedules. JOB is the wanted version of the job.
bool NeedsNoOther(const AllocRecord& record, const JobRecord& job, const JobAllocs& allocs);

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
inline constexpr std::string_view kInPlace = "alloc updating in-place";
inline constexpr std::string_view kUnknown = "alloc is unknown since its node is disconnected";
inline constexpr std::string_view kPreempted = "Preempted by alloc ID ";  // and the id
}  // namespace stop_reason

}  // namespace drover
