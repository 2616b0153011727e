// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Plans a group of a service or batch job.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/reconcile/group_plans.h"
#include "host/reconcile/replacements.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

class ServicePlan {
 public:
  ServicePlan(const ReconcileInput& input, const TaskGroup& group, GroupChange* change)
      : input_(input),
        group_(group),
        change_(*change),
        rollout_(LookAtRollout(input, group)),
        sets_(SortAllocs(input, group)),
        replacements_(*input.allocs) {}

  GroupPlan Make() {
    Reconnect();
    for (const SharedAlloc& record : sets_.run) Hold(record);
    for (const SharedAlloc& record : sets_.ended) {
      if (!IsReplaced(*record)) KeepIndex(*record);
    }
    for (const auto& later : sets_.replace_later) PlanLater(later);
    for (const SharedAlloc& record : sets_.stop) {
      plan_.stop.push_back({record, std::string(stop_reason::kNotNeeded)});
      if (!IsReplaced(*record)) KeepIndex(*record);
    }
    for (const SharedAlloc& record : sets_.unknown) StayUnknown(record);
    for (const auto& later : sets_.unknown_later) plan_.follow_ups.push_back(later);
    for (const SharedAlloc& record : sets_.disconnecting) {
      if (StayUnknown(record)) Disconnect(input_, record, &plan_);
    }
    for (const SharedAlloc& record : sets_.lost) ReplaceLost(record);
    for (const SharedAlloc& record : sets_.migrate) Migrate(record);
    for (const SharedAlloc& record : sets_.replace_now) Reschedule(record);
    PlaceMissing();
    PlanUpdates();
    PlaceCanaries();
    ReplaceOlder();
    change_.total = group_.count;
    change_.destructive = !older_.empty();
    change_.begins = Begins(input_, rollout_, plan_, change_, group_);
    return std::move(plan_);
  }

 private:
  bool IsTaken(int index) const { return taken_.count(index) > 0; }
  bool IsReplaced(const AllocRecord& record) const { return sets_.replaced.count(&record) > 0; }
  bool IsWithin(const AllocRecord& record) const { return record.alloc->index < group_.count; }
  void CountBusy(const AllocRecord& record) { busy_ += IsBusy(rollout_, record) ? 1 : 0; }

  void StopUnneeded(const SharedAlloc& record) {
    if (record->terminal()) return;
    plan_.stop.push_back({record, std::string(stop_reason::kNotNeeded)});
  }

  // Takes the index of RECORD for what becomes of it. Returns false if it is not needed: the count
  // has become smaller, another allocation has the index, or it was a canary of a change that did
  // not succeed.
  bool Take(const AllocRecord& record) {
    const int index = record.alloc->index;
    if (rollout_.IsCanary(record)) return canaries_.insert(index).second;
    if (rollout_.IsStale(record) || !IsWithin(record)) return false;
    return taken_.insert(index).second;
  }

  // For an allocation that needs nothing.
  void KeepIndex(const AllocRecord& record) {
    if (Take(record)) CountBusy(record);
  }

  void PlanLater(const GroupPlan::FollowUp& later) {
    if (!Take(*later.alloc)) return;
    CountBusy(*later.alloc);
    plan_.follow_ups.push_back(later);
  }

  // Decides between each original that is there again and its replacement.
  void Reconnect() {
    for (const SharedAlloc& record : sets_.reconnected) plan_.reconnect.push_back(record);
    for (const SharedAlloc& original : sets_.reconnecting) {
      if (gone_.count(original->id()) > 0) continue;
      const AllocRecords replacements = ReplacementsOf(*original);
      const std::string why(stop_reason::kReconnected);
      if (!replacements.empty() && !Stays(original, replacements)) {
        plan_.stop.push_back({original, why});
        gone_.insert(original->id());
        continue;
      }
      for (const SharedAlloc& replacement : replacements) {
        plan_.stop.push_back({replacement, why});
        gone_.insert(replacement->id());
      }
      plan_.reconnect.push_back(original);
      sets_.run.push_back(original);
    }
    if (gone_.empty()) return;
    const auto is_gone = [this](const SharedAlloc& record) {
      return gone_.count(record->id()) > 0;
    };
    for (AllocRecords* const set :
         {&sets_.run, &sets_.ended, &sets_.stop, &sets_.unknown, &sets_.disconnecting, &sets_.lost,
          &sets_.migrate, &sets_.replace_now}) {
      std::erase_if(*set, is_gone);
    }
    for (auto* const set : {&sets_.replace_later, &sets_.unknown_later}) {
      std::erase_if(*set, [&](const auto& later) { return is_gone(later.alloc); });
    }
  }

  // Returns whether ORIGINAL stays instead of those that replaced it. The last of them that runs is
  // compared with it, or the last one if they all are unknown.
  bool Stays(const SharedAlloc& original, const AllocRecords& replacements) const {
    const auto runs = [](const SharedAlloc& record) {
      return record->reported.status.status != ClientStatus::kUnknown;
    };
    const auto last = std::find_if(replacements.rbegin(), replacements.rend(), runs);
    const SharedAlloc& replacement = last == replacements.rend() ? replacements.back() : *last;
    const TaskGroup* const own = original->alloc->group();
    const auto how = own == nullptr ? DisconnectPolicy().reconcile : own->disconnect.reconcile;
    return &ToKeep(*original, *replacement, how) == original.get();
  }

  // Returns those that replaced ORIGINAL, one after another, and are still wanted.
  AllocRecords ReplacementsOf(const AllocRecord& original) {
    AllocRecords found;
    replacements_.Follow(original, [&](const SharedAlloc& record) {
      const bool wanted = !record->alloc->server_terminal() && gone_.count(record->id()) == 0;
      if (wanted) found.push_back(record);
      return true;
    });
    return found;
  }

  // Of two allocations with one index, the one of the wanted version stays, then the healthy one,
  // then the older one.
  void Hold(SharedAlloc record) {
    if (rollout_.IsCanary(*record)) {
      canaries_.insert(record->alloc->index);
      ++plan_.ignore;
      CountBusy(*record);
      return;
    }
    if (rollout_.IsStale(*record) || !IsWithin(*record)) return StopUnneeded(record);
    taken_.insert(record->alloc->index);
    const auto [at, is_new] = holders_.try_emplace(record->alloc->index, record);
    if (is_new) return;
    const auto rank = [this](const SharedAlloc& of) {
      const auto& health = of->reported.health;
      return std::pair(IsWanted(*of, input_), health && health->healthy);
    };
    if (rank(record) > rank(at->second)) std::swap(at->second, record);
    StopUnneeded(record);
  }

  GroupPlan::Place* AddPlace(int index, SharedAlloc replaces) {
    GroupPlan::Place& place = plan_.place.emplace_back();
    place.index = index;
    place.replaces = std::move(replaces);
    if (place.replaces != nullptr) {
      place.canary = rollout_.IsCanary(*place.replaces);
      // The older version stays while the change to the wanted one is held.
      const JobRecord& of = *place.replaces->job;
      if (rollout_.held() && !IsWanted(*place.replaces, input_) &&
          FindGroup(*of.job, group_.name) != nullptr) {
        place.job = place.replaces->job;
      }
    }
    if (place.job == nullptr) ++busy_;
    return &place;
  }

  // Returns whether the allocation is needed, and so stays unknown.
  bool StayUnknown(const SharedAlloc& record) {
    // Its replacement has the index. The two go on until the node is there again.
    if (IsReplaced(*record) && (rollout_.IsCanary(*record) || IsWithin(*record))) return true;
    if (!Take(*record)) {
      if (!record->next.empty() && IsWithin(*record)) return true;  // it may yet be needed
      StopUnneeded(record);
      return false;
    }
    const TaskGroup* const own = record->alloc->group();
    if (own != nullptr && !own->disconnect.replace) {
      ++busy_;
    } else {
      AddPlace(record->alloc->index, record)->lost = true;
    }
    return true;
  }

  void ReplaceLost(const SharedAlloc& record) {
    StopLost(record, &plan_);
    if (IsReplaced(*record) || !Take(*record)) return;
    const TaskGroup* const own = record->alloc->group();
    if (own != nullptr && !own->disconnect.replace &&
        (IsWanted(*record, input_) || rollout_.held())) {
      ++busy_;
      return;
    }
    // A node without contact stops it by itself. Until then it runs, so nothing takes its place. If
    // the node itself says that it is lost, it has been stopped.
    const bool may_run = record->reported.status.status != ClientStatus::kLost;
    if (may_run && own != nullptr && own->disconnect.stop_on_client_after) {
      const WallTime at = input_.now + Bounded(*own->disconnect.stop_on_client_after).count();
      plan_.follow_ups.push_back({record, at, "max-disconnect-timeout"});
      return;
    }
    AddPlace(record->alloc->index, record)->lost = true;
  }

  void Migrate(const SharedAlloc& record) {
    if (!Take(*record)) return StopUnneeded(record);
    plan_.stop.push_back({record, std::string(stop_reason::kMigrated)});
    AddPlace(record->alloc->index, record);
    ++plan_.migrate;
  }

  void Reschedule(const SharedAlloc& record) {
    if (!Take(*record)) return StopUnneeded(record);
    plan_.stop.push_back({record, std::string(stop_reason::kRescheduled)});
    AddPlace(record->alloc->index, record)->rescheduled = true;
  }

  // The newest version before the wanted one of which something runs; null if there is none.
  std::shared_ptr<const JobRecord> OlderVersion() const {
    std::shared_ptr<const JobRecord> newest;
    for (const auto& [index, record] : holders_) {
      if (IsWanted(*record, input_)) continue;
      if (newest == nullptr || newest->version < record->job->version) newest = record->job;
    }
    return newest;
  }

  void PlaceMissing() {
    const std::shared_ptr<const JobRecord> older = rollout_.canaries ? OlderVersion() : nullptr;
    for (int index = 0; index < group_.count; ++index) {
      if (IsTaken(index)) continue;
      const auto waits = sets_.unreplaced.find(Slot("", index));
      if (waits != sets_.unreplaced.end()) {
        const std::string& why = waits->second->alloc->desired_description;
        GroupPlan::Place* const place = AddPlace(index, waits->second);
        place->rescheduled = why == stop_reason::kRescheduled;
        place->lost = why == stop_reason::kLost;
      } else if (rollout_.paused || rollout_.failed) {
        plan_.waits = true;
        continue;
      } else {
        GroupPlan::Place* const place = AddPlace(index, nullptr);
        if (older != nullptr && FindGroup(*older->job, group_.name) != nullptr) place->job = older;
      }
      taken_.insert(index);
    }
  }

  void PlanUpdates() {
    for (const auto& [index, record] : holders_) {
      if (IsWanted(*record, input_)) {
        ++plan_.ignore;
        CountBusy(*record);
      } else if (input_.can_update(*record, group_)) {
        plan_.update.push_back(record);
        if (rollout_.applies) ++busy_;
      } else {
        older_.push_back(record);
      }
    }
  }

  void PlaceCanaries() {
    if (!rollout_.canaries) return;
    plan_.waits = true;
    if (rollout_.paused) return;
    std::set<int> free;
    for (const SharedAlloc& record : older_) free.insert(record->alloc->index);
    for (int next = group_.count; static_cast<int>(canaries_.size()) < rollout_.desired_canaries;) {
      int index = 0;
      if (free.empty()) {
        index = next++;
      } else {
        index = *free.begin();
        free.erase(free.begin());
      }
      if (!canaries_.insert(index).second) continue;
      AddPlace(index, nullptr)->canary = true;
      ++plan_.canaries;
    }
  }

  void ReplaceOlder() {
    if (older_.empty()) return;
    int left = rollout_.canaries ? 0 : Limit(rollout_, group_, busy_);
    SortForReplacement(&older_);
    for (const SharedAlloc& record : older_) {
      if (left == 0) {
        ++plan_.ignore;
        plan_.waits = true;
        continue;
      }
      --left;
      plan_.stop.push_back({record, std::string(stop_reason::kUpdated), true});
      GroupPlan::Place& place = plan_.place.emplace_back();
      place.index = record->alloc->index;
      place.replaces = record;
      place.stops = true;
      ++plan_.destructive;
    }
  }

  const ReconcileInput& input_;
  const TaskGroup& group_;
  GroupChange& change_;
  const RolloutState rollout_;
  AllocSets sets_;
  Replacements replacements_;
  GroupPlan plan_;
  std::set<int> taken_;                 // indexes of which something is, or will be
  std::map<int, SharedAlloc> holders_;  // what runs, by index
  std::set<int> canaries_;      // the indexes of canaries, which may be those of others, too
  std::set<std::string> gone_;  // replacements that stop, since their originals are back
  AllocRecords older_;          // cannot take over the wanted version
  int busy_ = 0;                // see Limit
};

}  // namespace

GroupPlan PlanServiceGroup(const ReconcileInput& input, const TaskGroup& group,
                           GroupChange* change) {
  return ServicePlan(input, group, change).Make();
}

void Disconnect(const ReconcileInput& input, const std::shared_ptr<const AllocRecord>& record,
                GroupPlan* plan) {
  plan->disconnect.push_back(record);
  const TaskGroup* const own = record->alloc->group();
  if (own == nullptr || !own->disconnect.lost_after) return;
  const WallTime at = input.now + Bounded(*own->disconnect.lost_after).count();
  plan->follow_ups.push_back({record, at, "max-disconnect-timeout"});
}

void StopLost(const std::shared_ptr<const AllocRecord>& record, GroupPlan* plan) {
  plan->stop.push_back({record, std::string(stop_reason::kLost), false, ClientStatus::kLost});
}

void SortForReplacement(AllocRecords* records) {
  std::ranges::sort(*records, {}, [](const auto& record) {
    const bool runs = record->reported.status.status == ClientStatus::kRunning;
    const auto& health = record->reported.health;
    // Outside deployments nobody asks for the health.
    const bool is_well = record->alloc->deployment_id.empty() || (health && health->healthy);
    return std::tuple(runs, is_well, record->alloc->index, std::string_view(record->id()));
  });
}

}  // namespace drover
