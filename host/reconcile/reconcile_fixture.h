// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "host/reconcile/reconcile.h"
#include "host/reconcile/reschedule.h"

// A job with one group, its allocations and nodes, for tests of plans.
namespace drover {

class ReconcileFixture : public ::testing::Test {
 protected:
  static constexpr WallTime kNow = 1'700'000'000'000'000'000;

  ReconcileFixture() {
    AddNode("n1");
    NewVersion([](TaskGroup*) {});
  }

  void AddNode(const std::string& id, const std::string& status = "ready", bool eligible = true) {
    auto node = std::make_shared<NodeRecord>();
    node->id = id;
    node->status = status;
    node->eligible = eligible;
    nodes[id] = std::move(node);
  }

  // Makes the next version of the job, whose group is changed by CHANGE.
  void NewVersion(const std::function<void(TaskGroup*)>& change, JobType type = JobType::kService) {
    auto next = std::make_shared<Job>();
    if (job == nullptr) {
      next->id = next->name = "web";
      TaskGroup& group = next->groups.emplace_back();
      group.name = "g";
      group.tasks.emplace_back().name = "t";
      group.rollout.max_parallel = 0;  // no deployments, unless a test wants them
    } else {
      *next = *job->job;
    }
    next->type = type;
    change(&next->groups[0]);
    auto record = std::make_shared<JobRecord>();
    record->version = job == nullptr ? 0 : job->version + 1;
    record->create_index = 10;
    record->job_modify_index = 10 + record->version;
    record->job = std::move(next);
    job = std::move(record);
  }

  // Adds an allocation of the current version that runs.
  std::shared_ptr<AllocRecord> Add(int index, const std::string& node = "n1") {
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "a" + std::to_string(++count_);
    alloc->index = index;
    alloc->group_name = "g";
    alloc->node_id = node;
    alloc->job = job->job;
    alloc->create_index = 100 + static_cast<std::uint64_t>(count_);
    auto record = std::make_shared<AllocRecord>();
    record->alloc = std::move(alloc);
    record->job = job;
    record->reported.id = record->alloc->id;
    record->reported.status.status = ClientStatus::kRunning;
    allocs.insert(record);
    return record;
  }
  static Allocation* AllocOf(const std::shared_ptr<AllocRecord>& record) {
    return const_cast<Allocation*>(record->alloc.get());  // tests own all records
  }
  static void Fail(const std::shared_ptr<AllocRecord>& record, WallTime at = kNow) {
    record->reported.status.status = ClientStatus::kFailed;
    record->reported.modify_time = at;
  }
  static void SetHealth(const std::shared_ptr<AllocRecord>& record, bool healthy) {
    record->reported.health = AllocHealth{healthy, kNow};
  }
  static void ChangeOf(const std::shared_ptr<AllocRecord>& record,
                       const std::function<void(AllocChange*)>& change) {
    AllocChange changed = record->changes();
    change(&changed);
    record->change = std::make_shared<const AllocChange>(std::move(changed));
  }
  static void MakeUnknown(const std::shared_ptr<AllocRecord>& record, WallTime at) {
    record->reported.status.status = ClientStatus::kUnknown;
    ChangeOf(record,
             [at](AllocChange* change) { change->states.push_back({ClientStatus::kUnknown, at}); });
  }
  static void ReplaceBy(const std::shared_ptr<AllocRecord>& old,
                        const std::shared_ptr<AllocRecord>& with) {
    old->next = with->id();
    with->previous = old->id();
  }

  // Makes a running deployment of the current version.
  Deployment* Deploy(int canaries = 0, bool promoted = true) {
    auto made = std::make_shared<Deployment>();
    made->id = "d" + std::to_string(job->version);
    made->job_version = job->version;
    made->job_create_index = job->create_index;
    DeploymentGroup& group = made->groups["g"];
    group.desired_canaries = canaries;
    group.promoted = promoted;
    deployment = made;
    return made.get();
  }
  void PutIntoDeployment(const std::shared_ptr<AllocRecord>& record) const {
    AllocOf(record)->deployment_id = deployment->id;
  }

  JobPlan PlanAll() const {
    ReconcileInput input;
    input.job = job.get();
    input.allocs = &allocs;
    input.nodes = &nodes;
    input.deployment = deployment;
    input.open_evals = &open_evals;
    input.eval_id = eval_id;
    input.now = kNow;
    input.can_update = [this](const AllocRecord&, const TaskGroup&) { return can_update; };
    input.may_run = [this](const NodeRecord& node, const TaskGroup&) {
      return refused.count(node.id) == 0;
    };
    return Reconcile(input);
  }
  GroupPlan Plan() const { return PlanAll().groups["g"]; }

  static std::map<std::string, std::string> Stops(const GroupPlan& plan) {
    std::map<std::string, std::string> out;
    for (const auto& stop : plan.stop) out[stop.alloc->id()] = stop.description;
    return out;
  }
  static std::vector<int> Places(const GroupPlan& plan) {
    std::vector<int> out;
    for (const auto& place : plan.place) out.push_back(place.index);
    return out;
  }

  std::shared_ptr<JobRecord> job;
  JobAllocs allocs;
  NodeRecords nodes;
  std::shared_ptr<const Deployment> deployment;
  std::set<std::string_view> open_evals;
  std::string eval_id = "now";
  bool can_update = false;
  std::set<std::string> refused;  // nodes that must not run the group

 private:
  int count_ = 0;
};

}  // namespace drover
