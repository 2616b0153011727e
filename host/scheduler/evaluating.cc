// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/evaluating.h"

#include <algorithm>
#include <utility>

#include "host/base/ids.h"
#include "host/reconcile/in_place_rule.h"
#include "host/reconcile/reconcile.h"
#include "host/reconcile/reschedule.h"
#include "host/scheduler/plan_job.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

// The last state alone decides what happens next.
void AddState(ClientStatus to, WallTime now, AllocChange* change) {
  auto& states = change->states;
  if (states.size() >= kMostStates) states.erase(states.begin(), states.end() - (kMostStates - 1));
  states.push_back({to, now});
}

bool SaysTheSame(const Evaluation& a, const Evaluation& b) {
  return a.status == b.status && a.failed_groups == b.failed_groups && a.queued == b.queued;
}

}  // namespace

void Evaluating::Begin(std::shared_ptr<const JobRecord> job, const JobKey& key) {
  job_ = std::move(job);
  deployment_ = job_ == nullptr ? nullptr : tables_.DeploymentOf(*job_);
  here_ = tables_.OpenAllocsOf(key);
  out_ = {};
  preempted_.clear();
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
  const bool is_planned = !unplaced;
  if (unplaced) {
    to_place = std::move(*unplaced);
  } else {
    out_.eval.queued.clear();
    const JobPlan plan = PlanJob(tables_, job_.get(), key, eval, now_);
    BeginDeployment(plan);
    CarryOut(plan, &to_place);
  }
  // Each node needs a plan of its own, as soon as one of them has changed.
  bool all_known = job_ == nullptr || !IsPerNode(*job_);
  for (auto& [name, places] : to_place) {
    PlaceGroup(*FindGroup(*job_->job, name), &places);
    if (is_planned) NotRescheduled(places);
    all_known = all_known && std::ranges::none_of(places, &GroupPlan::Place::stops);
  }
  if (all_known) out_.unplaced = std::move(to_place);
  Finish(eval);
  return std::move(out_);
}

TriedPlan Evaluating::Try(std::shared_ptr<const JobRecord> job, const JobPlan& plan) {
  const JobKey key = KeyOf(*job->job);
  Begin(std::move(job), key);
  Unplaced to_place;
  CarryOut(plan, &to_place);
  for (auto& [name, places] : to_place) PlaceGroup(*FindGroup(*job_->job, name), &places);
  return {std::move(out_.eval.failed_groups), std::move(preempted_)};
}

// Makes what PLAN says of deployments a part of the result.
void Evaluating::BeginDeployment(const JobPlan& plan) {
  out_.ended = plan.ended;
  if (out_.ended) {
    out_.ended->modify_index = index_;
    out_.ended->modify_time = now_;
  }
  if (!plan.deployment) return;
  Deployment& put = out_.deployment.emplace(*plan.deployment);
  put.modify_index = index_;
  put.modify_time = now_;
  if (!put.id.empty()) return;  // the current one has changed
  put.id = RandomUuid();
  put.create_index = index_;
  put.create_time = now_;
}

const Deployment* Evaluating::CurrentDeployment() const {
  if (out_.deployment) return &*out_.deployment;
  const bool is_of_version =
      deployment_ != nullptr && deployment_->active() && deployment_->job_version == job_->version;
  return is_of_version ? deployment_.get() : nullptr;
}

void Evaluating::Count(const Allocation& alloc) {
  if (!out_.deployment) out_.deployment = *deployment_;
  out_.deployment->modify_index = index_;
  out_.deployment->modify_time = now_;
  DeploymentGroup& group = out_.deployment->groups.at(alloc.group_name);
  ++group.placed;
  if (alloc.canary) group.placed_canaries.push_back(alloc.id);
  if (group.placed == 1 && group.progress_deadline > Duration(0)) {
    const WallTime by = now_ + Bounded(group.progress_deadline).count();
    group.require_progress_by = std::max(group.require_progress_by, by);
  }
}

// Stops and updates allocations as PLAN says, and copies its placements to TO_PLACE. If an
// allocation may stop only when its replacement will find room, StopFor stops it later.
void Evaluating::CarryOut(const JobPlan& plan, Unplaced* to_place) {
  for (const auto& [group, of_group] : plan.groups) {
    out_.eval.queued[group] = 0;
    for (const auto& record : of_group.reconnect) Reconnect(*record);
    for (const auto& stop : of_group.stop) {
      if (stop.for_new) continue;
      const AllocRecord& record = *stop.alloc;
      if (!record.terminal()) {
        --here_[group];
        room_->WillLeave(*record.alloc);
      }
      Stop(stop);
    }
    for (const auto& record : of_group.disconnect) Disconnect(*record);
    for (const auto& record : of_group.update) Update(*record);
    for (const auto& follow_up : of_group.follow_ups) FollowUp(follow_up);
    if (of_group.place.empty()) continue;
    (*to_place)[group].assign(of_group.place.rbegin(), of_group.place.rend());
  }
}

void Evaluating::PlaceGroup(const TaskGroup& group, std::vector<GroupPlan::Place>* places) {
  std::vector<GroupPlan::Place> left;  // in the order of placement; PLACES has the reverse order
  std::optional<PlacementFailure> first;
  auto stopping = std::ranges::count_if(*places, &GroupPlan::Place::stops);
  // Each allocation may want another volume or node, so one may find room where another did not.
  const bool own_volumes = std::ranges::any_of(
      group.volumes, [](const auto& volume) { return volume.second.per_alloc; });
  const bool each = own_volumes || IsPerNode(*job_);
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
      if (!place.stops && none->awaited.NeedsRoom()) {
        none->awaited.least = NeedsOf(*FindGroup(JobOf(place), group.name));
        none->awaited.displaces = room_->Displaces(JobOf(place));
      }
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
  // InPlaceUpdate says no before the node has registered. Then it may yet say yes.
  const auto node = Tables::Find(tables_.nodes, leaving.node_id);
  if (node != nullptr && node->status == "initializing" &&
      CanUpdateInPlace(*leaving.job, *job_->job, group.name)) {
    return NoPlace();
  }
  GroupCounts then = here_;
  if (auto none =
          room_->TakeAfter(leaving, *job_->job, group, place->index, &then, place->node_id)) {
    return none;
  }
  Stop({place->replaces, std::string(stop_reason::kUpdated)});
  --here_[leaving.group_name];
  place->stops = false;
  return std::nullopt;
}

std::optional<NoPlace> Evaluating::Place(const TaskGroup& wanted, GroupPlan::Place* place) {
  const std::shared_ptr<const JobRecord> of = place->job == nullptr ? job_ : place->job;
  const TaskGroup& group = *FindGroup(*of->job, wanted.name);
  const bool counted = place->stops;
  if (counted) {
    if (auto none = StopFor(group, place)) return none;
  }
  std::optional<Room> before;
  if (WantsPorts(group)) before = *room_;
  GroupCounts here = here_;
  TakenParts parts;
  if (auto none =
          room_->Take(*of->job, group, place->index, &here, &parts, counted, place->node_id)) {
    return none;
  }
  if (ports_) {
    const NodeRecord& node = *parts.node;
    PortPool* const ports = ports_(node.id);
    auto placed = PlaceAllocation(of->job, group, place->index, node.id, node.name, now_, ports);
    if (!placed.ok()) {
      *room_ = std::move(*before);
      const auto taken = FindTakenPort(group, nullptr, ports);
      return NoPort(placed.error(), taken ? &*taken : nullptr);
    }
    (*placed)->cores = std::move(parts.cores);
    (*placed)->devices = std::move(parts.devices);
    (*placed)->datacenter = node.datacenter;
    const std::string id = (*placed)->id;
    Placed(of, std::move(*placed), *place);
    Displace(id, parts.preempted);
  }
  if (!parts.preempted.empty()) {
    AllocRecords& of_group = preempted_[group.name];
    of_group.insert(of_group.end(), parts.preempted.begin(), parts.preempted.end());
  }
  here_ = std::move(here);
  return std::nullopt;
}

void Evaluating::Placed(std::shared_ptr<const JobRecord> of, std::shared_ptr<Allocation> alloc,
                        const GroupPlan::Place& place) {
  alloc->eval_id = out_.eval.id;
  alloc->create_index = alloc->modify_index = alloc->alloc_modify_index = index_;
  const Deployment* const deployment = place.in_deployment ? CurrentDeployment() : nullptr;
  if (deployment != nullptr && deployment->groups.count(alloc->group_name) > 0) {
    alloc->deployment_id = deployment->id;
    alloc->canary = place.canary;
    Count(*alloc);
  }
  AllocRecord record;
  record.job = std::move(of);
  record.reported.id = alloc->id;
  if (place.replaces != nullptr) {
    // While the replacement waited for room, the record of the replaced allocation may have been
    // erased.
    if (const auto replaced = Find(place.replaces->id())) {
      record.previous = alloc->previous = replaced->id();
      const TaskGroup* const own = replaced->alloc->group();
      if (place.rescheduled && own != nullptr) {
        record.change =
            std::make_shared<const AllocChange>(AfterReschedule(own->reschedule, *replaced, now_));
      }
      AllocRecord old = *replaced;
      old.next = alloc->id;
      Put(old, old.alloc);
    }
  }
  Put(std::move(record), std::move(alloc));
}

void Evaluating::Displace(const std::string& by, const AllocRecords& victims) {
  if (victims.empty()) return;
  out_.victims += victims.size();
  AllocRecord record = *Find(by);
  AllocChange change = record.changes();
  for (const auto& victim : victims) {
    const auto evicted = Preempted(Current(*victim), by, index_, now_);
    Put(*evicted, evicted->alloc);
    change.preempted.push_back(victim->id());
    out_.displaced.insert(KeyOf(*victim->alloc->job));
  }
  record.change = std::make_shared<const AllocChange>(std::move(change));
  const auto alloc = record.alloc;
  Put(std::move(record), alloc);
}

// Notes in allocations that this evaluation has stopped for a reschedule that there was no room.
void Evaluating::NotRescheduled(const std::vector<GroupPlan::Place>& places) {
  for (const GroupPlan::Place& place : places) {
    if (!place.rescheduled || at_.count(place.replaces->id()) == 0) continue;
    AllocRecord record = *Find(place.replaces->id());
    AllocChange change = record.changes();
    change.last_reschedule = "no placement";
    record.change = std::make_shared<const AllocChange>(std::move(change));
    Put(record, record.alloc);
  }
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

AllocRecord Evaluating::Current(const AllocRecord& record) const {
  const auto current = Find(record.id());
  return current == nullptr ? record : *current;
}

void Evaluating::Stop(const GroupPlan::Stop& stop) {
  AllocRecord record = Current(*stop.alloc);
  auto alloc = Changed(record);
  alloc->desired_status = DesiredStatus::kStop;
  alloc->desired_description = stop.description;
  alloc->no_shutdown_delay = alloc->no_shutdown_delay || no_shutdown_delay_;
  if (stop.reports) {
    // The node may come back with the allocation. Then it hears that the allocation must stop.
    if (!record.over() && ports_) ReleasePorts(*alloc, ports_(alloc->node_id));
    if (record.reported.status.status != *stop.reports) {  // otherwise its node says why
      record.reported.status = {*stop.reports, stop.description};
      record.reported.modify_time = now_;
    }
  }
  Put(std::move(record), std::move(alloc));
}

void Evaluating::Update(const AllocRecord& planned) {
  AllocRecord changed = Current(planned);
  auto alloc = Changed(changed);
  alloc->eval_id = out_.eval.id;
  alloc->job = job_->job;
  alloc->canary = false;
  const Deployment* const deployment = CurrentDeployment();
  if (deployment != nullptr && deployment->groups.count(alloc->group_name) > 0) {
    alloc->deployment_id = deployment->id;
    changed.reported.health.reset();  // a verdict for an older version says nothing of this one
    changed.reschedule = false;       // and nothing of what followed from it
    Count(*alloc);
  }
  changed.job = job_;
  Put(std::move(changed), std::move(alloc));
}

void Evaluating::Disconnect(const AllocRecord& planned) {
  AllocRecord record = Current(planned);
  AllocChange change = record.changes();
  AddState(ClientStatus::kUnknown, now_, &change);
  record.change = std::make_shared<const AllocChange>(std::move(change));
  record.reported.status = {ClientStatus::kUnknown, std::string(stop_reason::kUnknown)};
  record.reported.modify_time = now_;
  const auto alloc = record.alloc;
  Put(std::move(record), alloc);
}

void Evaluating::Reconnect(const AllocRecord& planned) {
  AllocRecord record = Current(planned);
  AllocChange change = record.changes();
  AddState(record.reported.status.status, now_, &change);
  change.follow_up_eval.clear();  // it would have ended an allocation that is unknown
  record.change = std::make_shared<const AllocChange>(std::move(change));
  const auto alloc = record.alloc;
  Put(std::move(record), alloc);
}

// Lets an evaluation look at the allocation later. Follow-ups of the same time and cause share one.
void Evaluating::FollowUp(const GroupPlan::FollowUp& follow_up) {
  auto eval = std::ranges::find_if(out_.follow_ups, [&](const Evaluation& of) {
    return of.wait_until == follow_up.at && of.triggered_by == follow_up.triggered_by;
  });
  if (eval == out_.follow_ups.end()) {
    Evaluation& made = out_.follow_ups.emplace_back();
    made.id = RandomUuid();
    made.job_namespace = out_.eval.job_namespace;
    made.job_id = out_.eval.job_id;
    made.type = job_->job->type;
    made.priority = out_.eval.priority;
    made.triggered_by = follow_up.triggered_by;
    made.previous_eval = out_.eval.id;
    made.status_description = "created to look at allocations again when they are due";
    made.wait_until = follow_up.at;
    made.job_modify_index = job_->job_modify_index;
    made.create_index = made.modify_index = index_;
    made.create_time = made.modify_time = now_;
    eval = out_.follow_ups.end() - 1;
  }
  AllocRecord record = Current(*follow_up.alloc);
  AllocChange change = record.changes();
  change.follow_up_eval = eval->id;
  record.change = std::make_shared<const AllocChange>(std::move(change));
  const auto alloc = record.alloc;
  Put(std::move(record), alloc);
}

void Evaluating::Finish(const Evaluation& before) {
  Evaluation& eval = out_.eval;
  if (job_) eval.job_modify_index = job_->job_modify_index;
  eval.status = "complete";
  eval.status_description.clear();
  if (!eval.failed_groups.empty()) Block();
  if (job_ != nullptr) {
    const Deployment* const deployment = CurrentDeployment();
    if (deployment != nullptr) eval.deployment_id = deployment->id;
  }
  if (!out_.follow_ups.empty()) eval.next_eval = out_.follow_ups.front().id;
  out_.changed =
      !out_.allocs.empty() || out_.deployment || out_.ended || !SaysTheSame(before, eval);
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
