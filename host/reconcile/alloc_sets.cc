// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Says of each allocation of a group what its state, its flags and its node mean for it.
#include <algorithm>
#include <map>
#include <utility>

#include "host/reconcile/in_place_rule.h"
#include "host/reconcile/replacements.h"
#include "host/reconcile/reschedule.h"
#include "host/reconcile/rollout.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

enum class Contact { kThere, kDisconnected, kGone, kPurged };

Contact ContactOf(const AllocRecord& record, const NodeRecords& nodes) {
  const auto node = nodes.find(record.alloc->node_id);
  if (node == nodes.end()) return Contact::kPurged;
  if (node->second->status == "down") return Contact::kGone;
  return node->second->status == "disconnected" ? Contact::kDisconnected : Contact::kThere;
}

// Returns whether RECORD, which has ended or must stop, waits for a replacement that is not placed
// yet: it was stopped for it, or it has failed. The files of its sticky disk then go to that one.
// An allocation of a purged job, which had the same id as JOB, is replaced by none.
bool WaitsForReplacement(const AllocRecord& record, const JobRecord& job) {
  if (!record.next.empty() || record.job->create_index != job.create_index) return false;
  if (!record.alloc->server_terminal()) {
    return record.reported.status.status == ClientStatus::kFailed;
  }
  if (record.alloc->desired_status == DesiredStatus::kEvict) return true;
  const std::string& why = record.alloc->desired_description;
  return why == stop_reason::kUpdated || why == stop_reason::kMigrated ||
         why == stop_reason::kRescheduled || why == stop_reason::kLost ||
         why == stop_reason::kTainted;
}

// Returns whether RECORD is the newest of those ALLOCS that have its group, index and node.
bool IsNewest(const AllocRecord& record, const JobAllocs& allocs) {
  const Allocation& alloc = *record.alloc;
  return std::ranges::none_of(allocs, [&alloc](const auto& other) {
    const Allocation& of = *other->alloc;
    return of.group_name == alloc.group_name && of.index == alloc.index &&
           of.node_id == alloc.node_id && of.create_index > alloc.create_index;
  });
}

class Sorting {
 public:
  Sorting(const ReconcileInput& input, const TaskGroup& group)
      : input_(input),
        rollout_(LookAtRollout(input, group)),
        type_(input.job->job->type),
        per_node_(IsPerNode(*input.job)),
        replacements_(*input.allocs) {
    for (const auto& record : *input.allocs) {
      if (record->alloc->group_name == group.name) Sort(record);
    }
  }

  AllocSets Take() { return std::move(out_); }

 private:
  Slot SlotOf(const Allocation& alloc) const {
    return {per_node_ ? alloc.node_id : std::string(), alloc.index};
  }

  // Returns whether ALLOC has its slot beside another one. On each node, a canary is the only one.
  bool StandsBeside(const Allocation& alloc) const { return alloc.canary && !per_node_; }

  void Sort(const SharedAlloc& record) {
    const Allocation& alloc = *record->alloc;
    // Allocations come in the order of their placement. So a later one has replaced those before.
    if (!StandsBeside(alloc)) out_.unreplaced.erase(SlotOf(alloc));
    if (alloc.server_terminal()) return SortStopped(record);
    if (HasLeftItsSlot(*record)) out_.replaced.insert(record.get());
    const TaskGroup* const own = alloc.group();
    const DisconnectPolicy policy = own == nullptr ? DisconnectPolicy() : own->disconnect;
    if (record->no_reschedule) return SortLeaver(record);
    const ClientStatus status = record->reported.status.status;
    const Contact contact = ContactOf(*record, *input_.nodes);
    if (status == ClientStatus::kUnknown) {  // a request does not wait for its node
      if (record->migrate) return out_.migrate.push_back(record);
      if (record->force_reschedule) return out_.replace_now.push_back(record);
      return SortUnknown(record, contact, policy);
    }
    if (WasUnknown(*record) && contact == Contact::kThere) {
      if (HasReplacement(*record)) {
        out_.reconnecting.push_back(record);
        return;
      }
      out_.reconnected.push_back(record);
    }
    if (status == ClientStatus::kLost) {
      out_.lost.push_back(record);
    } else if (status == ClientStatus::kComplete && type_ != JobType::kService) {
      if (NeedsNoOther(*record, *input_.job, *input_.allocs)) out_.ended.push_back(record);
    } else if (IsTerminal(status)) {
      SortFailed(record, WasUnknown(*record) && contact == Contact::kThere);
    } else {
      SortLive(record, contact, policy);
    }
  }

  void SortStopped(const SharedAlloc& record) {
    // A lost one may run on until its node stops it.
    const bool may_run =
        record->alloc->desired_description == stop_reason::kLost && HasFollowUp(*record);
    if (may_run ||
        (NeedsNoOther(*record, *input_.job, *input_.allocs) && !HasLeftItsSlot(*record))) {
      out_.ended.push_back(record);
    } else {
      MayWait(record);
    }
  }

  // Lets a new allocation in the place of RECORD be its replacement.
  void MayWait(const SharedAlloc& record) {
    if (StandsBeside(*record->alloc) || !WaitsForReplacement(*record, *input_.job)) return;
    out_.unreplaced[SlotOf(*record->alloc)] = record;
  }

  // Sorts an allocation that must have no replacement.
  void SortLeaver(const SharedAlloc& record) {
    if (!record->client_terminal()) {
      out_.stop.push_back(record);
    } else if (IsWanted(*record, input_) && out_.replaced.count(record.get()) == 0) {
      out_.ended.push_back(record);
    } else {
      MayWait(record);
    }
  }

  void SortUnknown(const SharedAlloc& record, Contact contact, const DisconnectPolicy& policy) {
    const bool is_late = policy.lost_after && IsOver(*record, policy);
    if (contact == Contact::kThere && !is_late) {
      out_.ended.push_back(record);  // its node is back, and will report it
      return;
    }
    if (contact == Contact::kPurged || IsOver(*record, policy)) {
      out_.lost.push_back(record);
      return;
    }
    out_.unknown.push_back(record);
    if (!policy.lost_after || HasFollowUp(*record)) return;
    out_.unknown_later.push_back({record,
                                  UnknownSince(*record) + Bounded(*policy.lost_after).count(),
                                  "max-disconnect-timeout"});
  }

  // Returns whether an evaluation will look at RECORD when its time has come.
  bool HasFollowUp(const AllocRecord& record) const {
    const SmallText& id = record.changes().follow_up_eval;
    if (id.empty() || id == input_.eval_id) return false;
    return input_.open_evals == nullptr || input_.open_evals->count(id) > 0;
  }

  WallTime UnknownSince(const AllocRecord& record) const {
    return WasUnknown(record) ? record.changes().states.back().time : input_.now;
  }

  static bool WasUnknown(const AllocRecord& record) {
    const auto& states = record.changes().states;
    return !states.empty() && states.back().to == ClientStatus::kUnknown;
  }

  // Returns whether the evaluation is the one that was to look at RECORD at this time.
  bool IsDue(const AllocRecord& record) const {
    const SmallText& id = record.changes().follow_up_eval;
    return !id.empty() && id == input_.eval_id;
  }

  // Returns whether an unknown allocation has been so for as long as POLICY allows.
  bool IsOver(const AllocRecord& record, const DisconnectPolicy& policy) const {
    if (!policy.lost_after) return policy.replace;
    if (IsDue(record)) return true;
    return UnknownSince(record) + Bounded(*policy.lost_after).count() <= input_.now;
  }

  // Returns the first one of those that replaced RECORD that is still wanted; the last one if none
  // is; null if there is none.
  const AllocRecord* ReplacementOf(const AllocRecord& record) {
    const AllocRecord* last = nullptr;
    replacements_.Follow(record, [&last](const SharedAlloc& other) {
      last = other.get();
      return other->alloc->server_terminal();
    });
    return last;
  }

  // Returns whether the allocation that replaced RECORD, or one after it, is still wanted.
  bool HasReplacement(const AllocRecord& record) {
    const AllocRecord* const other = ReplacementOf(record);
    return other != nullptr && !other->alloc->server_terminal();
  }

  // Returns whether the slot of RECORD is by now that of its replacement, which is still wanted or
  // waits for a replacement itself.
  bool HasLeftItsSlot(const AllocRecord& record) {
    const AllocRecord* const other = ReplacementOf(record);
    if (other == nullptr) return false;
    if (!other->alloc->server_terminal()) return true;
    return !StandsBeside(*other->alloc) && WaitsForReplacement(*other, *input_.job);
  }

  void SortLive(const SharedAlloc& record, Contact contact, const DisconnectPolicy& policy) {
    if (contact != Contact::kThere) {
      const bool may_return =
          contact != Contact::kPurged &&
          (!policy.replace || (contact == Contact::kDisconnected && policy.lost_after));
      (may_return ? out_.disconnecting : out_.lost).push_back(record);
    } else if (record->migrate) {
      out_.migrate.push_back(record);
    } else if (record->force_reschedule || (record->reschedule && MayReplace(*record))) {
      out_.replace_now.push_back(record);
    } else {
      out_.run.push_back(record);
    }
  }

  static ReschedulePolicy PolicyOf(const AllocRecord& record) {
    const TaskGroup* const group = record.alloc->group();
    return group == nullptr ? ReschedulePolicy() : group->reschedule;
  }

  // A deployment that is paused or has failed replaces none of its failed allocations.
  bool IsHeld(const AllocRecord& record) const {
    return rollout_.IsOfDeployment(record) && (rollout_.paused || rollout_.failed);
  }

  // Returns whether the policy of an allocation that still runs allows a replacement now.
  bool MayReplace(const AllocRecord& record) const {
    return !per_node_ && !IsHeld(record) &&
           RescheduleTime(PolicyOf(record), record, input_.now).has_value();
  }

  // If IS_BACK, it was unknown until now. The evaluation that would have ended it does not count.
  void SortFailed(const SharedAlloc& record, bool is_back) {
    if (!IsWanted(*record, input_)) {
      if (!rollout_.held()) return MayWait(record);  // the wanted version comes instead
      if (HasReplacement(*record)) return;           // of a newer version, but not the wanted one
    }
    if (record->force_reschedule) {
      out_.replace_now.push_back(record);
      return;
    }
    const auto at = per_node_ || IsHeld(*record)
                        ? std::nullopt
                        : RescheduleTime(PolicyOf(*record), *record, input_.now);
    if (!at) {
      out_.ended.push_back(record);
    } else if ((IsDue(*record) && !is_back) || record->reschedule ||
               *at <= input_.now + kRescheduleAtOnce.count()) {
      out_.replace_now.push_back(record);
    } else if (HasFollowUp(*record) && !is_back) {
      out_.ended.push_back(record);
    } else {
      out_.replace_later.push_back({record, *at, "alloc-failure"});
    }
  }

  const ReconcileInput& input_;
  const RolloutState rollout_;
  const JobType type_;
  const bool per_node_;
  Replacements replacements_;
  AllocSets out_;
};

}  // namespace

AllocSets SortAllocs(const ReconcileInput& input, const TaskGroup& group) {
  return Sorting(input, group).Take();
}

bool NeedsNoOther(const AllocRecord& record, const JobRecord& job, const JobAllocs& allocs) {
  const bool is_wanted = record.job->job_modify_index == job.job_modify_index;
  if (record.alloc->server_terminal()) {
    if (!is_wanted) return false;
    if (record.no_reschedule) return true;
    const TaskGroup* const group = record.alloc->group();
    return record.alloc->desired_description == stop_reason::kLost && group != nullptr &&
           !group->disconnect.replace && !IsPerNode(job);
  }
  // An ended allocation is not started again for the same version of the job. But a newer version
  // gets a new allocation.
  if (is_wanted) return true;
  // A sysbatch job runs once on each node, until what it runs changes. The allocation that was
  // placed last shows what has run.
  return job.job->type == JobType::kSysbatch &&
         record.reported.status.status == ClientStatus::kComplete &&
         CanUpdateInPlace(*record.job->job, *job.job, record.alloc->group_name) &&
         IsNewest(record, allocs);
}

bool AwaitsReplacement(const AllocRecord& record, const JobRecord& job, const JobAllocs& allocs) {
  if (!WaitsForReplacement(record, job)) return false;
  const Allocation& alloc = *record.alloc;
  const TaskGroup* const group = FindGroup(*job.job, alloc.group_name);
  if (job.stop || group == nullptr || alloc.index >= group->count) return false;
  const bool per_node = IsPerNode(job);
  // A newer version places its canaries anew.
  const bool is_wanted = record.job->job_modify_index == job.job_modify_index;
  if (alloc.canary && !per_node && !is_wanted) return false;
  // Another one may have come to its place without being its replacement.
  for (auto at = allocs.rbegin(); at != allocs.rend(); ++at) {
    const Allocation& later = *(*at)->alloc;
    if (later.create_index <= alloc.create_index) return true;
    if (later.group_name != alloc.group_name || later.index != alloc.index) continue;
    if (per_node ? later.node_id == alloc.node_id : !later.canary) return false;
  }
  return true;
}

}  // namespace drover
