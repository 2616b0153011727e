// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/evaluating.h"

#include "host/base/ids.h"

namespace drover {
namespace {

PlacementFailure Exhausted(const std::string& dimension) {
  PlacementFailure failure;
  failure.nodes_evaluated = failure.nodes_exhausted = 1;
  failure.dimension_exhausted[dimension] = 1;
  return failure;
}

PlacementFailure Filtered(const std::string& constraint) {
  PlacementFailure failure;
  failure.nodes_evaluated = failure.nodes_filtered = 1;
  failure.constraint_filtered[constraint] = 1;
  return failure;
}

}  // namespace

std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables) {
  for (const auto& [id, node] : tables.nodes) {
    if (node->status == "ready" && node->eligible) return node;
  }
  return nullptr;
}

GroupCounts CountsAfterStops(const AllocRecords& allocs, const JobPlan& plan) {
  GroupCounts counts;
  for (const auto& record : allocs) counts[record->alloc->group_name] += record->terminal() ? 0 : 1;
  for (const auto& [group, of_group] : plan)
    counts[group] -= static_cast<int>(of_group.stop.size());
  return counts;
}

std::optional<PlacementFailure> TakeRoom(const Job& job, const TaskGroup& group,
                                         const NodeRecord* node, NodeCapacity* capacity,
                                         GroupCounts* here, ReservedCores* cores) {
  if (node == nullptr) return PlacementFailure();
  const std::string unmet = UnmetConstraint(job, group, *node, *here);
  if (!unmet.empty()) return Filtered(unmet);
  const std::string missing = capacity->Take(group, cores);
  if (!missing.empty()) return Exhausted(missing);
  ++(*here)[group.name];
  return std::nullopt;
}

void Evaluating::Run(Evaluation eval) {
  const JobKey key = KeyOf(eval);
  const auto job = Tables::Find(tables_->jobs, key);
  const JobPlan plan = Reconcile(job.get(), tables_->AllocsOf(key));
  node_ = ReadyNode(*tables_);
  if (node_) capacity_.emplace(*node_, *tables_);
  here_ = CountsAfterStops(tables_->AllocsOf(key), plan);
  eval.failed_groups.clear();
  for (const auto& [group, of_group] : plan) {
    eval.queued[group] = 0;
    for (const auto& stop : of_group.stop) Stop(stop);
    for (const auto& record : of_group.update) Update(*record, job);
    PlaceAll(job, group, of_group.place, &eval);
  }
  eval.modify_index = index_;
  eval.modify_time = now_;
  if (job) eval.job_modify_index = job->job_modify_index;
  eval.status = "complete";
  eval.status_description.clear();
  if (!eval.failed_groups.empty()) Block(&eval);
  tables_->Put(std::make_shared<const Evaluation>(std::move(eval)));
}

void Evaluating::Put(AllocRecord record, std::shared_ptr<const Allocation> alloc) {
  record.alloc = std::move(alloc);
  record.modify_index = index_;
  record.modify_time = now_;
  tables_->Put(std::make_shared<const AllocRecord>(std::move(record)));
}

std::shared_ptr<Allocation> Evaluating::Changed(const AllocRecord& record) const {
  auto alloc = std::make_shared<Allocation>(*record.alloc);
  alloc->modify_index = alloc->alloc_modify_index = index_;
  alloc->modify_time = now_;
  return alloc;
}

void Evaluating::Stop(const GroupPlan::Stop& stop) {
  auto alloc = Changed(*stop.alloc);
  alloc->desired_status = DesiredStatus::kStop;
  alloc->desired_description = stop.description;
  alloc->no_shutdown_delay = alloc->no_shutdown_delay || no_shutdown_delay_;
  Put(*stop.alloc, std::move(alloc));
}

void Evaluating::Update(const AllocRecord& record, const std::shared_ptr<const JobRecord>& job) {
  auto alloc = Changed(record);
  alloc->job = job->job;
  AllocRecord changed = record;
  changed.job = job;
  Put(std::move(changed), std::move(alloc));
}

void Evaluating::PlaceAll(const std::shared_ptr<const JobRecord>& job, const std::string& group,
                          const std::vector<GroupPlan::Place>& places, Evaluation* eval) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto failure = Place(job, *FindGroup(*job->job, group), places[i], *eval);
    if (!failure) continue;
    // One failure tells all: the other allocations of the group have the same lot.
    const auto left = static_cast<int>(places.size() - i);
    failure->coalesced_failures = left - 1;
    eval->failed_groups[group] = std::move(*failure);
    eval->queued[group] = left;
    return;
  }
}

std::optional<PlacementFailure> Evaluating::Place(const std::shared_ptr<const JobRecord>& job,
                                                  const TaskGroup& group,
                                                  const GroupPlan::Place& place,
                                                  const Evaluation& eval) {
  std::optional<NodeCapacity> left = capacity_;
  GroupCounts here = here_;
  ReservedCores cores;
  auto failure = TakeRoom(*job->job, group, node_.get(), left ? &*left : nullptr, &here, &cores);
  if (failure) return failure;
  auto placed = PlaceAllocation(job->job, group, place.index, node_->id, node_->name, now_, ports_);
  if (!placed.ok()) return Exhausted("network: " + placed.error().message());
  (*placed)->cores = std::move(cores);
  capacity_ = std::move(left);
  here_ = std::move(here);
  Placed(job, std::move(*placed), place, eval);
  return std::nullopt;
}

void Evaluating::Placed(const std::shared_ptr<const JobRecord>& job,
                        std::shared_ptr<Allocation> alloc, const GroupPlan::Place& place,
                        const Evaluation& eval) {
  alloc->eval_id = eval.id;
  alloc->create_index = alloc->modify_index = alloc->alloc_modify_index = index_;
  AllocRecord record;
  record.job = job;
  record.told.id = alloc->id;
  if (place.replaces != nullptr) {
    record.previous = place.replaces->id();
    AllocRecord old = *tables_->allocs.at(record.previous);
    old.next = alloc->id;
    Put(old, old.alloc);
  }
  Put(std::move(record), std::move(alloc));
}

// What had no place waits in an evaluation of its own.
void Evaluating::Block(Evaluation* eval) {
  if (eval->triggered_by == "queued-allocs") {
    eval->status = "blocked";
    return;
  }
  Evaluation blocked = *eval;
  blocked.id = RandomUuid();
  blocked.previous_eval = eval->id;
  blocked.triggered_by = "queued-allocs";
  blocked.status = "blocked";
  blocked.status_description = "created to place remaining allocations";
  blocked.create_index = index_;
  blocked.create_time = now_;
  eval->blocked_eval = blocked.id;
  tables_->Put(std::make_shared<const Evaluation>(std::move(blocked)));
}

}  // namespace drover
