// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/model/change_model.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tests/model/alloc_facts.h"

namespace drover {
namespace {

// What clients read of stopped allocations.
constexpr std::string_view kNotNeeded = "alloc not needed due to job update";
constexpr std::string_view kUpdated = "alloc is being updated due to job update";
constexpr std::string_view kMigrated = "alloc is being migrated";
constexpr std::string_view kRescheduled = "alloc was rescheduled because it failed";
constexpr std::string_view kLost = "alloc is lost since its node is down";
constexpr std::string_view kTainted = "alloc not needed as node is tainted";
constexpr std::string_view kReconnected = "alloc not needed due to disconnected client reconnect";

// A replacement may come so much before its time, together with others.
constexpr Duration kTogether = 6s;

std::string RevisionOf(const Job& job) {
  const TaskGroup* const group = GroupOf(job);
  if (group == nullptr || group->tasks.empty()) return "";
  const auto found = group->tasks.front().env.find("REV");
  return found == group->tasks.front().env.end() ? "" : found->second;
}

}  // namespace

Duration ChangeModel::NextDelay(const ReschedulePolicy& policy,
                                const std::vector<RescheduleEvent>& past, WallTime failed_at) {
  using Function = ReschedulePolicy::DelayFunction;
  if (past.empty() || policy.delay_function == Function::kConstant) return policy.delay;
  const Duration last = past.back().delay;
  if (failed_at - past.back().time > policy.max_delay.count()) return policy.delay;
  Duration next = 2 * last;
  if (policy.delay_function == Function::kFibonacci) {
    if (past.size() < 2) return policy.delay;  // one past delay may be that of an older policy
    const Duration before = past[past.size() - 2].delay;
    next = last < before ? last : last + before;  // a smaller one has begun the row anew
  }
  return std::min(next, policy.max_delay);
}

std::shared_ptr<const Deployment> ChangeModel::DeploymentOf(const Tables& tables,
                                                            const JobKey& key) {
  const auto job = Tables::Find(tables.jobs, key);
  if (job == nullptr) return nullptr;
  std::shared_ptr<const Deployment> newest;
  for (const auto& [id, deployment] : tables.deployments) {
    if (KeyOf(*deployment) != key || deployment->job_version != job->version) continue;
    if (deployment->job_create_index != job->create_index) continue;
    if (newest == nullptr || newest->create_index < deployment->create_index) newest = deployment;
  }
  return newest;
}

ChangeModel::Slot ChangeModel::SlotOf(const AllocRecord& record) {
  const bool per_node = IsPerNodeType(record.job->job->type);
  return {per_node ? record.alloc->node_id : "", record.alloc->index};
}

void ChangeModel::Look(const Tables& tables, WallTime now) {
  std::vector<std::pair<Record, Record>> changed;
  for (const auto& [id, record] : tables.allocs) {
    Record& last = seen_[id];
    if (last != record) changed.emplace_back(last, record);
    last = record;
  }
  for (const auto& [before, record] : changed) {
    if (before == nullptr) LookAtNew(tables, *record, now);
    if (before != nullptr) LookAtChange(tables, *before, *record);
  }
  for (const auto& [key, records] : tables.allocs_of_job) LookAtSlots(tables, key);
  for (const auto& [key, job] : tables.jobs) {
    LookAtWaits(tables, key, now);
    LookAtDeployments(tables, key, now);
    LookAtStatus(tables, key);
  }
  LookAtEvals(tables, now);
  versions_ = tables.versions;
}

// An allocation has been placed.
void ChangeModel::LookAtNew(const Tables& tables, const AllocRecord& record, WallTime now) {
  const Allocation& alloc = *record.alloc;
  if (alloc.name != alloc.job->id + ".g[" + std::to_string(alloc.index) + "]") {
    Break(NameOf(record) + ": its name does not have its index");
  }
  if (!IsReady(tables, alloc.node_id)) Break(NameOf(record) + ": its node is not ready");
  if (record.previous.empty()) {
    if (!record.changes().reschedules.empty()) Break(NameOf(record) + ": a past without a cause");
    return;
  }
  const auto previous = Tables::Find(tables.allocs, record.previous);
  if (previous == nullptr) return Break(NameOf(record) + ": replaces one that is not there");
  if (previous->next != record.id()) {
    Break(NameOf(record) + ": the one before does not name it as the next");
  }
  if (previous->alloc->index != alloc.index) Break(NameOf(record) + ": replaces another index");
  LookAtTracker(record, *previous, now);
}

// Only a reschedule counts. Migrations, losses, disconnections and updates begin without a past.
void ChangeModel::LookAtTracker(const AllocRecord& record, const AllocRecord& previous,
                                WallTime now) {
  const auto& events = record.changes().reschedules;
  if (previous.alloc->desired_description != kRescheduled) {
    if (!events.empty()) Break(NameOf(record) + ": counts as rescheduled, but was not");
    return;
  }
  if (events.empty()) return Break(NameOf(record) + ": its reschedule does not count");
  const auto& past = previous.changes().reschedules;
  const ReschedulePolicy& policy = previous.alloc->group()->reschedule;
  const WallTime failed_at = EndOf(previous);
  const RescheduleEvent& last = events.back();
  if (last.previous_alloc != previous.id() || last.previous_node != previous.alloc->node_id) {
    Break(NameOf(record) + ": its last reschedule names another allocation");
  }
  const bool by_request = previous.force_reschedule || previous.reschedule;
  const Duration delay = NextDelay(policy, past, failed_at);
  if (last.delay != delay && !(by_request && last.delay == NextDelay(policy, past, now))) {
    Break(NameOf(record) + ": waited " + std::to_string(last.delay / 1s) + " s and not " +
          std::to_string(delay / 1s) + " s");
  }
  if (!by_request && now + kTogether.count() < failed_at + delay.count()) {
    Break(NameOf(record) + ": came before its time");
  }
  if (!by_request && !policy.unlimited &&
      AttemptsBefore(policy, past, failed_at) >= policy.attempts) {
    Break(NameOf(record) + ": there was no attempt left");
  }
  // Of the past, what the policy counts must stay, and no more than there was.
  std::size_t least = std::min<std::size_t>(past.size(), 4);
  if (!policy.unlimited) {
    least = static_cast<std::size_t>(AttemptsBefore(policy, past, now));
  }
  const std::size_t kept = events.size() - 1;
  if (kept < least || kept > past.size() ||
      !std::equal(events.begin(), events.end() - 1,
                  past.end() - static_cast<std::ptrdiff_t>(std::min(kept, past.size())))) {
    Break(NameOf(record) + ": has another past than the one before");
  }
}

void ChangeModel::LookAtChange(const Tables& tables, const AllocRecord& before,
                               const AllocRecord& now_is) {
  if (before.alloc->desired_status == DesiredStatus::kRun) {
    if (now_is.alloc->desired_status == DesiredStatus::kStop) LookAtStop(tables, before, now_is);
  } else if (now_is.alloc->desired_status == DesiredStatus::kRun) {
    Break(NameOf(now_is) + ": was stopped, and is wanted again");
  }
  if (RevisionOf(*before.job->job) != RevisionOf(*now_is.job->job)) {
    Break(NameOf(now_is) + ": became another revision in place");
  }
  if (now_is.changes().reschedules != before.changes().reschedules) {
    Break(NameOf(now_is) + ": its past has changed");
  }
  if (before.previous != now_is.previous) Break(NameOf(now_is) + ": replaces another one by now");
}

void ChangeModel::LookAtStop(const Tables& tables, const AllocRecord& before,
                             const AllocRecord& stopped) {
  const std::string& why = stopped.alloc->desired_description;
  const auto job = Tables::Find(tables.jobs, KeyOf(*stopped.alloc->job));
  const bool is_wanted = job != nullptr && !job->stop;
  const auto node = Tables::Find(tables.nodes, stopped.alloc->node_id);
  const bool is_ready = node != nullptr && node->status == "ready";
  bool fits = false;
  if (why == kLost) {
    fits = !is_ready || before.reported.status.status == ClientStatus::kLost ||
           before.reported.status.status == ClientStatus::kUnknown;
  } else if (why == kMigrated) {
    fits = before.migrate || stopped.migrate;
  } else if (why == kTainted) {
    fits = IsPerNodeType(stopped.job->job->type);
  } else if (why == kRescheduled) {
    fits = IsTerminal(before.reported.status.status) ||
           IsTerminal(stopped.reported.status.status) || before.reschedule ||
           before.force_reschedule || stopped.reschedule;
  } else if (why == kReconnected) {
    fits = !stopped.changes().states.empty() || !stopped.previous.empty();
  } else if (why == kUpdated) {
    fits = is_wanted;
    if (is_wanted) LookAtUpdateStop(tables, stopped);
  } else if (why == kNotNeeded) {
    const auto& group = *GroupOf(*stopped.job->job);
    const bool is_needed = is_wanted && !stopped.no_reschedule && !stopped.alloc->canary &&
                           !IsPerNodeType(stopped.job->job->type) && group.count > 0 &&
                           stopped.alloc->index < GroupOf(*job->job)->count;
    fits =
        !is_needed || std::ranges::any_of(tables.AllocsOf(KeyOf(*job->job)), [&](const auto& of) {
          return of->id() != stopped.id() && SlotOf(*of) == SlotOf(stopped) &&
                 of->alloc->desired_status == DesiredStatus::kRun;
        });
  }
  if (!fits) Break(NameOf(stopped) + ": stopped as \"" + why + "\" without that cause");
}

// An older version makes room for the newest one.
void ChangeModel::LookAtUpdateStop(const Tables& tables, const AllocRecord& stopped) {
  const JobKey key = KeyOf(*stopped.alloc->job);
  const JobRecord& job = *tables.jobs.at(key);
  if (RevisionOf(*stopped.job->job) == RevisionOf(*job.job)) {
    Break(NameOf(stopped) + ": replaced, though it could have stayed");
  }
  const auto deployment = DeploymentOf(tables, key);
  if (deployment == nullptr) return;
  if (deployment->status == "paused" || deployment->status == "failed") {
    Break(NameOf(stopped) + ": replaced in a deployment that is " + deployment->status);
  }
  if (deployment->has_unpromoted_canaries() && job.job->type == JobType::kService) {
    Break(NameOf(stopped) + ": replaced before its canaries were promoted");
  }
  if (deployment->active()) rollouts_[deployment->id].begun.insert(SlotOf(stopped));
}

// At most one live allocation for each name and slot, apart from declared canaries and replacements
// of those that are unknown.
void ChangeModel::LookAtSlots(const Tables& tables, const JobKey& key) {
  const auto job = Tables::Find(tables.jobs, key);
  const auto deployment = DeploymentOf(tables, key);
  std::map<Slot, std::vector<Record>> live;
  std::map<int, int> canaries;
  for (const auto& record : tables.AllocsOf(key)) {
    if (!IsLive(*record)) continue;
    if (job == nullptr || job->stop) {
      Break(NameOf(*record) + ": goes on after the stop of its job");
      continue;
    }
    const bool is_canary = record->alloc->canary && deployment != nullptr && deployment->active() &&
                           deployment->has_unpromoted_canaries() &&
                           record->alloc->deployment_id == deployment->id &&
                           job->job->type == JobType::kService;
    if (is_canary && !IsUnknown(*record)) {
      if (++canaries[record->alloc->index] > 1) Break(NameOf(*record) + ": a second canary");
    } else if (!is_canary) {
      live[SlotOf(*record)].push_back(record);
    }
  }
  if (deployment != nullptr && deployment->groups.contains("g")) {
    const int most = deployment->groups.at("g").desired_canaries;
    if (static_cast<int>(canaries.size()) > most) Break(key.second + ": too many canaries");
  }
  for (const auto& [slot, records] : live) {
    const auto known =
        std::ranges::count_if(records, [](const auto& of) { return !IsUnknown(*of); });
    if (known > 1) Break(NameOf(*records.front()) + ": " + std::to_string(known) + " are live");
  }
}

void ChangeModel::LookAtStatus(const Tables& tables, const JobKey& key) {
  const JobRecord& job = *tables.jobs.at(key);
  const bool live =
      std::ranges::any_of(tables.AllocsOf(key), [](const auto& record) { return IsLive(*record); });
  if (live && job.status != "running")
    Break(key.second + ": runs, and its status is " + job.status);
  if (!live && job.stop && job.status != "dead") Break(key.second + ": is stopped and not dead");
}

std::vector<std::string> ChangeModel::Missing(const Tables& tables) const {
  std::vector<std::string> missing;
  std::set<std::string> ready;
  for (const auto& [id, node] : tables.nodes) {
    if (node->status == "ready") ready.insert(id);
    if (node->status != "ready") missing.push_back(id + " is " + node->status);
  }
  for (const auto& [key, job] : tables.jobs) {
    std::set<Slot> wanted;
    for (int i = 0; i < GroupOf(*job->job)->count && !job->stop; ++i) {
      if (!IsPerNodeType(job->job->type)) wanted.insert(Slot("", i));
      if (!IsPerNodeType(job->job->type)) continue;
      for (const std::string& node : ready) wanted.insert(Slot(node, i));
    }
    for (const auto& record : tables.AllocsOf(key)) {
      if (!IsLive(*record)) continue;
      const bool runs = record->reported.status.status == ClientStatus::kRunning &&
                        record->job->version == job->version && !record->alloc->canary;
      if (!runs || wanted.erase(SlotOf(*record)) == 0) {
        missing.push_back(NameOf(*record) + " is one too many, or not as wanted");
      }
    }
    for (const Slot& slot : wanted) {
      missing.push_back(key.second + "[" + std::to_string(slot.second) + "] " + slot.first);
    }
    if (job->status != (job->stop ? "dead" : "running"))
      missing.push_back(key.second + job->status);
    const auto deployment = DeploymentOf(tables, key);
    if (deployment != nullptr && deployment->active()) {
      missing.push_back(key.second + ": " + deployment->status_description);
    }
  }
  for (const auto& [id, eval] : tables.evals) {
    if (eval->open()) missing.push_back(eval->job_id + ": an evaluation is " + eval->status.str());
  }
  return missing;
}

}  // namespace drover
