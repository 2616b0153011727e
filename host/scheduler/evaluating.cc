// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/evaluating.h"

#include "host/base/ids.h"

namespace drover {
namespace {

void Fail(const TaskGroup& group, const PlacementFailure& failure, Evaluation* eval) {
  eval->failed_groups[group.name] = failure;
  ++eval->queued[group.name];
}

}  // namespace

std::shared_ptr<const NodeRecord> ReadyNode(const Tables& tables) {
  for (const auto& [id, node] : tables.nodes) {
    if (node->status == "ready" && node->eligible) return node;
  }
  return nullptr;
}

void Evaluating::Run(Evaluation eval) {
  const JobKey key = KeyOf(eval);
  const auto job = Tables::Find(tables_->jobs, key);
  const JobPlan plan = Reconcile(job.get(), tables_->AllocsOf(key));
  node_ = ReadyNode(*tables_);
  if (node_) capacity_.emplace(*node_, *tables_);
  eval.failed_groups.clear();
  for (const auto& [group, of_group] : plan) {
    eval.queued[group] = 0;
    for (const auto& stop : of_group.stop) Stop(stop);
    for (const auto& record : of_group.update) Update(*record, job);
    for (const auto& place : of_group.place) {
      Place(job, *FindGroup(*job->job, group), place, &eval);
    }
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

void Evaluating::Place(const std::shared_ptr<const JobRecord>& job, const TaskGroup& group,
                       const GroupPlan::Place& place, Evaluation* eval) {
  // One failure tells all: the next allocation of the group has the same lot.
  if (const auto failed = eval->failed_groups.find(group.name);
      failed != eval->failed_groups.end()) {
    ++failed->second.coalesced_failures;
    ++eval->queued[group.name];
    return;
  }
  PlacementFailure failure;
  if (!node_) return Fail(group, failure, eval);
  failure.nodes_evaluated = failure.nodes_exhausted = 1;
  NodeCapacity left = *capacity_;
  ReservedCores cores;
  if (const std::string missing = left.Take(group, &cores); !missing.empty()) {
    failure.dimension_exhausted[missing] = 1;
    return Fail(group, failure, eval);
  }
  auto placed = PlaceAllocation(job->job, group, place.index, node_->id, node_->name, now_, ports_);
  if (!placed.ok()) {
    failure.dimension_exhausted["network: " + placed.error().message()] = 1;
    return Fail(group, failure, eval);
  }
  (*placed)->cores = std::move(cores);
  *capacity_ = std::move(left);
  Placed(job, std::move(*placed), place, *eval);
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
