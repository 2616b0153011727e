// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "host/deployment/deployment_watch.h"

namespace drover {

// A job with a deployment of its version 3, from version 2, for tests. Times are in seconds.
class DeploymentForTest {
 public:
  static constexpr WallTime kSecond = 1'000'000'000;

  DeploymentForTest() {
    deployment.id = "d";
    deployment.job_id = "web";
    deployment.job_version = 3;
    deployment.job_create_index = 7;
    deployment.create_index = 30;
    DeploymentGroup& group = deployment.groups["g"];
    group.desired_total = 2;
    group.progress_deadline = 600s;
    for (std::uint64_t version = 0; version <= 3; ++version) AddVersion(version);
  }

  DeploymentGroup& group(const std::string& name = "g") { return deployment.groups[name]; }

  // Replaces the version by one whose specification is SPEC; "" stands for one that only this
  // version has.
  JobRecord& AddVersion(std::uint64_t version, const std::string& spec = "") {
    auto record = std::make_shared<JobRecord>();
    auto job = std::make_shared<Job>();
    job->id = "web";
    job->groups.resize(2);
    job->groups[0].name = "g";
    job->groups[1].name = "h";
    job->type = type;
    record->job = std::move(job);
    record->json = std::make_shared<const nlohmann::json>(
        nlohmann::json{{"Spec", spec.empty() ? std::to_string(version) : spec}});
    record->version = version;
    record->create_index = 7;
    versions[version] = record;
    return *record;
  }

  struct Placed {
    std::uint64_t version = 3;
    std::string group = "g";
    std::optional<bool> healthy = {};
    WallTime at = 0;  // of the verdict
    ClientStatus status = ClientStatus::kRunning;
    bool canary = false;
    bool stopped = false;
    std::string node = {};
  };
  // Adds an allocation, or replaces the one with this id.
  AllocRecord& Put(const std::string& id, const Placed& placed) {
    auto alloc = std::make_shared<Allocation>();
    auto record = std::make_shared<AllocRecord>();
    alloc->id = id;
    alloc->job = versions.at(placed.version)->job;
    alloc->group_name = placed.group;
    alloc->index = static_cast<int>(allocs.size());
    alloc->create_index = 40;
    alloc->canary = placed.canary;
    alloc->node_id = placed.node;
    if (placed.version == 3) alloc->deployment_id = "d";
    if (placed.stopped) alloc->desired_status = DesiredStatus::kStop;
    record->alloc = std::move(alloc);
    record->job = versions.at(placed.version);
    record->reported.id = id;
    record->reported.status.status = placed.status;
    if (placed.healthy) record->reported.health = AllocHealth{*placed.healthy, placed.at * kSecond};
    std::erase_if(allocs, [&id](const auto& other) { return other->id() == id; });
    allocs.insert(record);
    return *record;
  }

  DeploymentInput View(WallTime now) {
    view_deployment_ = deployment;
    DeploymentInput view;
    view.deployment = &view_deployment_;
    view.job = versions.empty() ? nullptr : versions.rbegin()->second.get();
    view.allocs = &allocs;
    view.versions = &versions;
    view.nodes = &nodes;
    view.now = now * kSecond;
    view.is_replaced = [this](const AllocRecord& record) {
      return !no_attempts.contains(record.id());
    };
    return view;
  }
  // Makes the step, and keeps the changed deployment.
  DeploymentStep Watch(WallTime now) { return Kept(WatchDeployment(View(now))); }
  DeploymentStep Kept(DeploymentStep step) {
    if (step.changed) deployment = *step.changed;
    return step;
  }
  DeploymentStep Kept(const Result<DeploymentStep>& step) {
    return step.ok() ? Kept(DeploymentStep(*step)) : DeploymentStep();
  }
  // Returns the description, and the status before it.
  std::string Says() const { return deployment.status + ": " + deployment.status_description; }

  JobType type = JobType::kService;
  Deployment deployment;
  JobAllocs allocs;
  std::map<std::string, std::shared_ptr<const NodeRecord>> nodes;
  std::set<std::string> no_attempts;  // ids of allocations that get no replacement if they fail
  std::map<std::uint64_t, std::shared_ptr<const JobRecord>> versions;

 private:
  Deployment view_deployment_;
};

}  // namespace drover
