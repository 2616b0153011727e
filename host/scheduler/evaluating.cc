// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/evaluating.h"

#include <algorithm>
#include <utility>

#include "host/base/ids.h"

namespace drover {
namespace {

bool SaysTheSame(const Evaluation& a, const Evaluation& b) {
  return a.status == b.status && a.failed_groups == b.failed_groups && a.queued == b.queued;
}

// Returns the failure for a port that could not be taken. TAKEN is the static port that is in use;
// null if no dynamic port is free.
NoPlace NoPort(const Error& error, const TakenPort* taken) {
  NoPlace none;
  none.failure.nodes_evaluated = none.failure.nodes_exhausted = 1;
  none.failure.dimension_exhausted["network: " + error.message()] = 1;
  none.awaited.what = Awaited::What::kPort;
  if (taken == nullptr) return none;
  none.awaited.port = taken->port;
  none.awaited.address = taken->address;
  return none;
}

}  // namespace

void Evaluating::Begin(std::shared_ptr<const JobRecord> job, const JobKey& key) {
  job_ = std::move(job);
  here_ = tables_.OpenAllocsOf(key);
  out_ = {};
  at_.clear();
  room_->Begin();
}

Evaluated Evaluating::Run(const Evaluation& eval, bool no_shutdown_delay,
                          std::optional<Unplaced> unplaced) {
  const JobKey key = KeyOf(eval);
  Begin(Tables::Find(tables_.jobs, key), key);
  no_shutdown_delay_ = no_shutdown_delay;
  out_.eval = eval;
  out_.eval.failed_groups.clear();
  Unplaced to_place;
  if (unplaced) {
    to_place = std::move(*unplaced);
  } else {
    out_.eval.queued.clear();
    CarryOut(Reconcile(job_.get(), key, tables_), &to_place);
  }
  bool all_known = true;
  for (auto& [name, places] : to_place) {
    PlaceGroup(*FindGroup(*job_->job, name), &places);
    all_known = all_known && std::ranges::none_of(places, &GroupPlan::Place::stops);
  }
  if (all_known) out_.unplaced = std::move(to_place);
  Finish(eval);
  return std::move(out_);
}

std::map<std::string, PlacementFailure> Evaluating::Try(std::shared_ptr<const JobRecord> job,
                                                        const JobPlan& plan) {
  const JobKey key = KeyOf(*job->job);
  Begin(std::move(job), key);
  Unplaced to_place;
  CarryOut(plan, &to_place);
  for (auto& [name, places] : to_place) PlaceGroup(*FindGroup(*job_->job, name), &places);
  return std::move(out_.eval.failed_groups);
}

// Stops and updates allocations as PLAN says, and copies its placements to TO_PLACE. If an
// allocation may stop only when its replacement will find room, StopFor stops it later.
void Evaluating::CarryOut(const JobPlan& plan, Unplaced* to_place) {
  for (const auto& [group, of_group] : plan) {
    out_.eval.queued[group] = 0;
    for (const auto& stop : of_group.stop) {
      if (stop.for_new) continue;
      Stop(*stop.alloc, stop.description);
      room_->WillLeave(*stop.alloc->alloc);
      --here_[group];
    }
    for (const auto& record : of_group.update) Update(*record);
    if (of_group.place.empty()) continue;
    (*to_place)[group].assign(of_group.place.rbegin(), of_group.place.rend());
  }
}

void Evaluating::PlaceGroup(const TaskGroup& group, std::vector<GroupPlan::Place>* places) {
  std::vector<GroupPlan::Place> left;  // in the order of placement; PLACES has the reverse order
  std::optional<PlacementFailure> first;
  auto stopping = std::ranges::count_if(*places, &GroupPlan::Place::stops);
  // Each allocation may want another volume, so one may find its volume where another did not.
  const bool each = std::ranges::any_of(group.volumes,
                                        [](const auto& volume) { return volume.second.per_alloc; });
  // After one failure, other new allocations of the group would fail for the same reason, so they
  // are not tried. Replacements are still tried, because each can use the room of the allocation
  // that it replaces. If a replacement will find room, StopFor stops that allocation.
  while (!places->empty() && (!first || stopping > 0 || each)) {
    GroupPlan::Place place = std::move(places->back());
    places->pop_back();
    const bool tries = !first || place.stops || each;
    if (place.stops) --stopping;
    std::optional<NoPlace> none;
    if (tries) none = Place(group, &place);
    if (tries && !none) continue;
    if (none) {
      // A replacement may use the room and ports of the allocation that it stops. But RetryBlocked
      // counts them as taken and would wait for them forever. If `least` and `address` are unset,
      // RetryBlocked does not check room and ports, and runs the evaluation again.
      if (place.stops) none->awaited.address.clear();
      if (!place.stops && none->awaited.NeedsRoom()) none->awaited.least = NeedsOf(group);
      out_.awaited.insert(std::move(none->awaited));
      if (!first) first = std::move(none->failure);
    }
    left.push_back(std::move(place));
  }
  places->insert(places->end(), std::make_move_iterator(left.rbegin()),
                 std::make_move_iterator(left.rend()));
  const auto queued = static_cast<int>(places->size());
  out_.eval.queued[group.name] = queued;
  if (!first) return;
  first->coalesced_failures = queued - 1;
  out_.eval.failed_groups[group.name] = room_->Described(*job_->job, std::move(*first));
}

// Stops the allocation that PLACE replaces, if the new allocation will find room afterwards. The
// old allocation keeps its room until it has ended, so the new one may have to wait.
std::optional<NoPlace> Evaluating::StopFor(const TaskGroup& group, GroupPlan::Place* place) {
  const Allocation& leaving = *place->replaces->alloc;
  if (ports_ != nullptr) {
    if (const auto taken = FindTakenPort(group, &leaving, ports_))
      return NoPort(taken->why, &*taken);
  }
  GroupCounts then = here_;
  if (auto none = room_->TakeAfter(leaving, *job_->job, group, place->index, &then)) return none;
  Stop(*place->replaces, std::string(kUpdated));
  --here_[leaving.group_name];
  place->stops = false;
  return std::nullopt;
}

std::optional<NoPlace> Evaluating::Place(const TaskGroup& group, GroupPlan::Place* place) {
  const bool counted = place->stops;
  if (counted) {
    if (auto none = StopFor(group, place)) return none;
  }
  std::optional<Room> before;
  if (WantsPorts(group)) before = *room_;
  GroupCounts here = here_;
  TakenParts parts;
  if (auto none = room_->Take(*job_->job, group, place->index, &here, &parts, counted)) return none;
  if (ports_ != nullptr) {
    const NodeRecord& node = *parts.node;
    auto placed = PlaceAllocation(job_->job, group, place->index, node.id, node.name, now_, ports_);
    if (!placed.ok()) {
      *room_ = std::move(*before);
      const auto taken = FindTakenPort(group, nullptr, ports_);
      return NoPort(placed.error(), taken ? &*taken : nullptr);
    }
    (*placed)->cores = std::move(parts.cores);
    (*placed)->devices = std::move(parts.devices);
    (*placed)->datacenter = node.datacenter;
    Placed(std::move(*placed), *place);
  }
  here_ = std::move(here);
  return std::nullopt;
}

void Evaluating::Placed(std::shared_ptr<Allocation> alloc, const GroupPlan::Place& place) {
  alloc->eval_id = out_.eval.id;
  alloc->create_index = alloc->modify_index = alloc->alloc_modify_index = index_;
  AllocRecord record;
  record.job = job_;
  record.reported.id = alloc->id;
  if (place.replaces != nullptr) {
    // While the replacement waited for room, the record of the replaced allocation may have been
    // erased.
    if (const auto replaced = Find(place.replaces->id())) {
      record.previous = alloc->previous = replaced->id();
      AllocRecord old = *replaced;
      old.next = alloc->id;
      Put(old, old.alloc);
    }
  }
  Put(std::move(record), std::move(alloc));
}

std::shared_ptr<const AllocRecord> Evaluating::Find(const std::string& id) const {
  const auto at = at_.find(id);
  return at == at_.end() ? Tables::Find(tables_.allocs, id) : out_.allocs[at->second];
}

void Evaluating::Put(AllocRecord record, std::shared_ptr<const Allocation> alloc) {
  record.alloc = std::move(alloc);
  record.modify_index = index_;
  record.modify_time = now_;
  auto put = std::make_shared<const AllocRecord>(std::move(record));
  const auto [at, is_new] = at_.try_emplace(put->id(), out_.allocs.size());
  if (is_new) {
    out_.allocs.push_back(std::move(put));
  } else {
    out_.allocs[at->second] = std::move(put);
  }
}

std::shared_ptr<Allocation> Evaluating::Changed(const AllocRecord& record) const {
  auto alloc = std::make_shared<Allocation>(*record.alloc);
  alloc->modify_index = alloc->alloc_modify_index = index_;
  alloc->modify_time = now_;
  return alloc;
}

void Evaluating::Stop(const AllocRecord& record, const std::string& description) {
  auto alloc = Changed(record);
  alloc->desired_status = DesiredStatus::kStop;
  alloc->desired_description = description;
  alloc->no_shutdown_delay = alloc->no_shutdown_delay || no_shutdown_delay_;
  Put(record, std::move(alloc));
}

void Evaluating::Update(const AllocRecord& record) {
  auto alloc = Changed(record);
  alloc->eval_id = out_.eval.id;
  alloc->job = job_->job;
  AllocRecord changed = record;
  changed.job = job_;
  Put(std::move(changed), std::move(alloc));
}

void Evaluating::Finish(const Evaluation& before) {
  Evaluation& eval = out_.eval;
  if (job_) eval.job_modify_index = job_->job_modify_index;
  eval.status = "complete";
  eval.status_description.clear();
  if (!eval.failed_groups.empty()) Block();
  out_.changed = !out_.allocs.empty() || !SaysTheSame(before, eval);
  eval.modify_index = index_;
  eval.modify_time = now_;
}

// Makes the unplaced allocations wait. A blocked evaluation that was tried again stays blocked.
// For any other evaluation, a new blocked evaluation is made.
void Evaluating::Block() {
  Evaluation& eval = out_.eval;
  if (eval.triggered_by == "queued-allocs") {
    eval.status = "blocked";
    return;
  }
  Evaluation& blocked = out_.blocked.emplace(eval);
  blocked.id = RandomUuid();
  blocked.previous_eval = eval.id;
  blocked.triggered_by = "queued-allocs";
  blocked.status = "blocked";
  blocked.status_description = "created to place remaining allocations";
  blocked.create_index = blocked.modify_index = index_;
  blocked.create_time = blocked.modify_time = now_;
  eval.blocked_eval = blocked.id;
}

}  // namespace drover
