// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Plans a group of a job that has its allocations on each node that may have them.
#include <algorithm>
#include <set>
#include <utility>

#include "host/reconcile/group_plans.h"

namespace drover {
namespace {

class SystemPlan {
 public:
  SystemPlan(const ReconcileInput& input, const TaskGroup& group, GroupChange* change)
      : input_(input),
        group_(group),
        change_(*change),
        rollout_(LookAtRollout(input, group)),
        sets_(SortAllocs(input, group)) {
    for (const auto& [id, node] : *input.nodes) {
      if (node->status == "ready" && input.may_run(*node, group)) fits_.insert(id);
    }
  }

  GroupPlan Make() {
    for (const SharedAlloc& record : sets_.ended) KeepSlot(*record);
    for (const SharedAlloc& record : sets_.stop) {
      plan_.stop.push_back({record, std::string(stop_reason::kNotNeeded)});
      KeepSlot(*record);
    }
    for (const AllocRecords* const set : {&sets_.reconnected, &sets_.reconnecting}) {
      plan_.reconnect.insert(plan_.reconnect.end(), set->begin(), set->end());
    }
    for (const SharedAlloc& record : sets_.reconnecting) sets_.run.push_back(record);
    for (const SharedAlloc& record : sets_.run) Hold(record);
    for (const SharedAlloc& record : sets_.unknown) KeepLive(*record);
    for (const auto& later : sets_.unknown_later) plan_.follow_ups.push_back(later);
    for (const SharedAlloc& record : sets_.disconnecting) {
      KeepLive(*record);
      Disconnect(input_, record, &plan_);
    }
    for (const SharedAlloc& record : sets_.lost) {
      StopLost(record, &plan_);
      // Its node may be there: it can say itself that it has given up the allocation.
      sets_.unreplaced.try_emplace(SlotOf(*record), record);
    }
    for (const SharedAlloc& record : sets_.migrate) {
      const bool stays = TakesNew(record->alloc->node_id);
      const auto why = stays ? stop_reason::kMigrated : stop_reason::kTainted;
      plan_.migrate += Replace(record, why) != nullptr ? 1 : 0;
    }
    for (const SharedAlloc& record : sets_.replace_now) {
      GroupPlan::Place* const place = Replace(record, stop_reason::kRescheduled);
      if (place != nullptr) place->rescheduled = true;
    }
    PlaceMissing();
    ReplaceOlder();
    // An evaluation waits for a node if there is none at all, and says why no node may be used.
    if (slots_.empty()) PlaceNowhere();
    change_.total = elsewhere_;
    for (const auto& [id, node] : *input_.nodes) {
      if (fits_.count(id) > 0 && node->eligible) change_.total += group_.count;
    }
    change_.may_be_canaries = canaries_ + kept_canaries_ + comes_back_;
    for (const SharedAlloc& record : older_) {
      const std::string& id = record->alloc->node_id;
      change_.may_be_canaries += TakesNew(id) || MayTakeNew(id) ? 1 : 0;
    }
    change_.destructive = !older_.empty();
    change_.begins = Begins(input_, rollout_, plan_, change_, group_);
    return std::move(plan_);
  }

 private:
  static Slot SlotOf(const AllocRecord& record) {
    return {record.alloc->node_id, record.alloc->index};
  }
  bool TakesNew(const std::string& node_id) const {
    return fits_.count(node_id) > 0 && input_.nodes->at(node_id)->eligible;
  }
  // Returns whether a node that is not ready takes new ones as soon as it is.
  bool MayTakeNew(const std::string& node_id) const {
    const auto node = input_.nodes->find(node_id);
    return node != input_.nodes->end() && node->second->status != "ready" && node->second->eligible;
  }
  bool Take(const AllocRecord& record) {
    return record.alloc->index < group_.count && slots_.insert(SlotOf(record)).second;
  }
  bool KeepSlot(const AllocRecord& record) {
    if (!Take(record)) return false;
    busy_ += IsBusy(rollout_, record) ? 1 : 0;
    kept_canaries_ += rollout_.IsCanary(record) ? 1 : 0;  // one that has failed counts
    return true;
  }
  // For one that goes on, although its node has no contact.
  void KeepLive(const AllocRecord& record) {
    if (KeepSlot(record)) CountElsewhere(record);
  }
  // A node that takes no new ones counts by what it has of the deployment. One that is not ready
  // may take new ones soon, so it counts by all that it has.
  void CountElsewhere(const AllocRecord& record) {
    const std::string& id = record.alloc->node_id;
    if (record.terminal() || TakesNew(id)) return;
    elsewhere_ += rollout_.IsOfDeployment(record) || MayTakeNew(id) ? 1 : 0;
  }

  GroupPlan::Place* AddPlace(const Slot& slot, SharedAlloc replaces) {
    GroupPlan::Place& place = plan_.place.emplace_back();
    place.index = slot.second;
    place.node_id = slot.first;
    place.replaces = std::move(replaces);
    ++busy_;
    return &place;
  }

  // Like AddPlace, but the older version stays while the change to the wanted one is held, and a
  // canary is replaced by one.
  GroupPlan::Place* AddReplacement(const Slot& slot, const SharedAlloc& replaces) {
    GroupPlan::Place* const place = AddPlace(slot, replaces);
    place->canary = rollout_.IsCanary(*replaces);
    canaries_ += place->canary ? 1 : 0;
    const JobRecord& of = *replaces->job;
    if (rollout_.held() && !IsWanted(*replaces, input_) &&
        FindGroup(*of.job, group_.name) != nullptr) {
      place->job = replaces->job;
      --busy_;
      ++comes_back_;
    }
    return place;
  }

  // Stops RECORD. Returns its replacement on the same node; null if that takes none now.
  GroupPlan::Place* Replace(const SharedAlloc& record, std::string_view why) {
    const std::string& node = record->alloc->node_id;
    const bool is_needed = record->alloc->index < group_.count;
    plan_.stop.push_back({record, std::string(is_needed ? why : stop_reason::kNotNeeded)});
    if (!TakesNew(node) || !Take(*record)) {
      sets_.unreplaced.try_emplace(SlotOf(*record), record);
      return nullptr;
    }
    return AddReplacement(SlotOf(*record), record);
  }

  // Decides on an allocation that runs. A node that takes no new ones keeps those that it has. A
  // newer version does not stay on a node that may not run it, but of a node that is not ready
  // nothing is known.
  void Hold(const SharedAlloc& record) {
    const std::string& id = record->alloc->node_id;
    const bool is_ready = input_.nodes->at(id)->status == "ready";
    const bool must_leave = !IsWanted(*record, input_) && is_ready && fits_.count(id) == 0;
    if (must_leave || !Take(*record)) {
      plan_.stop.push_back({record, std::string(stop_reason::kNotNeeded)});
      return;
    }
    if (IsWanted(*record, input_)) {
      ++plan_.ignore;
      busy_ += IsBusy(rollout_, *record) ? 1 : 0;
      CountElsewhere(*record);
      if (rollout_.IsCanary(*record)) ++canaries_;
    } else if (input_.can_update(*record, group_)) {
      plan_.update.push_back(record);
      if (rollout_.applies) {
        ++busy_;
        elsewhere_ += TakesNew(record->alloc->node_id) ? 0 : 1;
      }
    } else {
      older_.push_back(record);
      CountElsewhere(*record);
    }
  }

  void PlaceMissing() {
    for (const std::string& node : fits_) {
      if (!TakesNew(node)) continue;
      for (int index = 0; index < group_.count; ++index) {
        const Slot slot(node, index);
        if (slots_.count(slot) > 0) continue;
        const auto waits = sets_.unreplaced.find(slot);
        if (waits != sets_.unreplaced.end()) {
          AddReplacement(slot, waits->second);
        } else if (rollout_.paused || rollout_.failed) {
          plan_.waits = true;
          continue;
        } else {
          AddPlace(slot, nullptr);
        }
        slots_.insert(slot);
      }
    }
  }

  // Returns how many canaries are still to be placed. The deployment wants more of them at once if
  // more nodes can have one now.
  int CanariesLeft() const {
    if (rollout_.paused) return 0;
    const int most = std::max(rollout_.desired_canaries, group_.rollout.canary);
    return most - canaries_ - kept_canaries_;
  }

  // Canaries of such a job do not stand beside the others. They are the first to be replaced, and
  // before those what has left its place.
  void ReplaceOlder() {
    if (rollout_.canaries) plan_.waits = true;
    int left = rollout_.canaries ? CanariesLeft() : Limit(rollout_, group_, busy_);
    for (GroupPlan::Place& place : plan_.place) {
      if (!rollout_.canaries || left <= 0 || place.job == nullptr) continue;
      place.job = nullptr;
      place.canary = true;
      ++plan_.canaries;
      --left;
    }
    SortForReplacement(&older_);
    for (const SharedAlloc& record : older_) {
      // One that has to wait until its node takes new ones does not hold those of other nodes.
      const bool waits = !TakesNew(record->alloc->node_id);
      if (waits ? rollout_.paused || rollout_.failed : left <= 0) {
        ++plan_.ignore;
        plan_.waits = true;
        continue;
      }
      if (!waits) --left;
      plan_.stop.push_back({record, std::string(stop_reason::kUpdated), true});
      GroupPlan::Place* const place = AddPlace(SlotOf(*record), record);
      place->stops = true;
      place->canary = rollout_.canaries;
      plan_.canaries += rollout_.canaries && !waits ? 1 : 0;
      ++plan_.destructive;
    }
  }

  void PlaceNowhere() {
    if (plan_.waits) return;
    for (int index = 0; index < group_.count; ++index) {
      const auto waits = std::ranges::find_if(
          sets_.unreplaced, [index](const auto& of) { return of.first.second == index; });
      AddPlace({"", index}, waits == sets_.unreplaced.end() ? nullptr : waits->second);
    }
  }

  const ReconcileInput& input_;
  const TaskGroup& group_;
  GroupChange& change_;
  const RolloutState rollout_;
  AllocSets sets_;
  GroupPlan plan_;
  std::set<std::string> fits_;  // ready nodes that may have allocations of the group
  std::set<Slot> slots_;        // where something is, or will be
  AllocRecords older_;          // cannot take over the wanted version
  int elsewhere_ = 0;           // see CountElsewhere
  int comes_back_ = 0;          // places that the older version gets again
  int canaries_ = 0;
  int kept_canaries_ = 0;
  int busy_ = 0;  // see Limit
};

}  // namespace

GroupPlan PlanSystemGroup(const ReconcileInput& input, const TaskGroup& group,
                          GroupChange* change) {
  return SystemPlan(input, group, change).Make();
}

}  // namespace drover
