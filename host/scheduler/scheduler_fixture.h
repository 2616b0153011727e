// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "host/base/jumping_loop_for_test.h"
#include "host/scheduler/scheduler.h"
#include "host/spec/canonical_job.h"

// A scheduler for tests: simulated time, simulated ports, and one node.
namespace drover {

class FakePortPool : public PortPool {
 public:
  const std::string& address() const override { return own; }
  Result<int> TakeDynamic(const std::string& address) override {
    taken_.insert({address, next_});
    return next_++;
  }
  Status CheckStatic(const std::string& address, int port) override {
    ++looks;
    if (look) look();
    DROVER_TRY(CheckOwn(address, port));
    if (foreign.count({address, port}) == 0) return {};
    return Taken(port);
  }
  Status CheckOwn(const std::string& address, int port) override {
    return taken_.count({address, port}) == 0 ? Status() : Taken(port);
  }
  Status TakeStatic(const std::string& address, int port) override {
    DROVER_TRY(CheckStatic(address, port));
    taken_.insert({address, port});
    return {};
  }
  void Release(const std::string& address, int port) override { taken_.erase({address, port}); }
  void Keep(const std::string& address, int port) override { taken_.insert({address, port}); }
  std::size_t taken() const { return taken_.size(); }

  std::function<void()> look;  // called by each CheckStatic
  int looks = 0;
  std::string own = "127.0.0.1";
  std::set<std::pair<std::string, int>> foreign;  // ports of other processes

 private:
  static Status Taken(int port) {
    return Error(Code::kFailedPrecondition, "port " + std::to_string(port) + " is taken");
  }

  std::set<std::pair<std::string, int>> taken_;
  int next_ = kFirst;
};

class SchedulerFixture : public ::testing::Test {
 protected:
  SchedulerFixture() : scheduler(&loop, &store, &ports, {}) {}
  // After every test, the derived tables must equal tables that are built anew from all records.
  ~SchedulerFixture() override {
    store.Read([](const Tables& tables) {
      Tables again;
      for (const auto& [key, job] : tables.jobs) again.Put(key, job);
      for (const auto& [id, eval] : tables.evals) again.Put(eval);
      for (const auto& [id, record] : tables.allocs) again.Put(record);
      for (const auto& service : tables.services) again.Put(service);
      EXPECT_EQ(tables.services_of_name, again.services_of_name);
      EXPECT_EQ(tables.services_of_alloc, again.services_of_alloc);
      EXPECT_EQ(tables.scaling_policies, again.scaling_policies);
      EXPECT_EQ(tables.live_allocs, again.live_allocs);
      EXPECT_EQ(tables.ended_allocs, again.ended_allocs);
      EXPECT_EQ(tables.allocs_of_job, again.allocs_of_job);
      EXPECT_EQ(tables.evals_of_job, again.evals_of_job);
      EXPECT_EQ(tables.open_allocs_of_job, again.open_allocs_of_job);
      EXPECT_EQ(tables.allocs_of_eval, again.allocs_of_eval);
      EXPECT_EQ(tables.usage, again.usage);
      EXPECT_EQ(tables.volume_users, again.volume_users);
      EXPECT_EQ(tables.staying, again.staying);
      EXPECT_EQ(tables.leaving, again.leaving);
      EXPECT_EQ(tables.uncollected, again.uncollected);
      EXPECT_EQ(tables.blocked_evals, again.blocked_evals);
      EXPECT_EQ(tables.statuses_of_node, again.statuses_of_node);
      EXPECT_EQ(tables.statuses_of_job, again.statuses_of_job);
      std::size_t of_jobs = 0;
      for (const auto& [key, records] : tables.allocs_of_job) {
        EXPECT_FALSE(records.empty());
        of_jobs += records.size();
      }
      EXPECT_EQ(of_jobs, tables.allocs.size());
    });
  }

  // Registers the node and makes it ready.
  void MakeNodeReady() {
    NodeRecord node;
    node.id = "node";
    node.name = "n1";
    node.cpu_mhz = 1000;
    node.memory_mb = 1000;
    node.disk_mb = 1'000'000;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }

  static JobRegistration Registration(const std::string& id, int count, int memory_mb = 100,
                                      const std::string& driver_config = "{}") {
    auto job = std::make_shared<Job>();
    job->id = job->name = id;
    TaskGroup group;
    group.name = "g";
    group.count = count;
    // A new version replaces all allocations at once, and failed ones stay failed.
    group.rollout.max_parallel = 0;
    group.reschedule.unlimited = false;
    Task task;
    task.name = "t";
    task.driver = "mock_driver";
    task.config_json = driver_config;
    task.resources = {10, memory_mb, 0};
    group.tasks.push_back(task);
    job->groups.push_back(group);
    JobRegistration registration;
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return registration;
  }

  // Returns REGISTRATION with a job that CHANGE has changed.
  static JobRegistration With(JobRegistration registration,
                              const std::function<void(Job*)>& change) {
    auto job = std::make_shared<Job>(*registration.job);
    change(job.get());
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return registration;
  }

  JobReply MustRegister(JobRegistration registration) {
    const Result<JobReply> reply = scheduler.Register(std::move(registration));
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? *reply : JobReply();
  }

  // Reports STATUS for an allocation, as the node does.
  void Report(const std::string& id, ClientStatus status) {
    AllocUpdate update;
    update.id = id;
    update.status = {status, "reported by a test"};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  }

  // Reports that one task of the allocation ID has failed, and that another one is in the state
  // OTHER.
  void ReportFailure(const std::string& id, RunnerState other) {
    AllocUpdate update;
    update.id = id;
    update.status = {ClientStatus::kFailed, "Failed tasks"};
    auto failed = std::make_shared<TaskStateRecord>(), stops = std::make_shared<TaskStateRecord>();
    failed->state = RunnerState::kDead;
    failed->failed = true;
    stops->state = other;
    update.tasks = {{"failed", std::move(failed)}, {"stops", std::move(stops)}};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  }

  // Returns a registration of the service NAME of an allocation of a job in the namespace
  // "default".
  static ServiceRegistration ServiceOf(const AllocRecord& record, const std::string& name) {
    ServiceRegistration service;
    service.id = "_nomad-task-" + record.id() + "-group-g-" + name + "-http";
    service.name = name;
    service.service_namespace = "default";
    service.node_id = "node";
    service.datacenter = "dc1";
    service.job_id = record.alloc->job->id;
    service.alloc_id = record.id();
    service.tags = {"blue"};
    service.address = "192.0.2.7";
    service.port = 8080;
    return service;
  }
  // Registers services and removes those with the ids GONE, as the node does.
  void UpdateServices(std::vector<ServiceRegistration> put, std::vector<std::string> gone = {}) {
    EXPECT_TRUE(
        Await<Status>(scheduler.UpdateServices(context, "node", std::move(put), std::move(gone)))
            .ok());
  }
  std::vector<std::shared_ptr<const ServiceRegistration>> Services() const {
    std::vector<std::shared_ptr<const ServiceRegistration>> out;
    store.Read(
        [&](const Tables& tables) { out.assign(tables.services.begin(), tables.services.end()); });
    return out;
  }

  std::vector<std::shared_ptr<const AllocRecord>> Allocs() const {
    std::vector<std::shared_ptr<const AllocRecord>> out;
    store.Read([&](const Tables& tables) {
      for (const auto& [id, record] : tables.allocs) out.push_back(record);
    });
    return out;
  }
  // The allocations that must run and have not ended.
  std::vector<std::shared_ptr<const AllocRecord>> Live() const {
    auto out = Allocs();
    std::erase_if(out, [](const auto& record) { return record->terminal(); });
    return out;
  }
  std::shared_ptr<const AllocRecord> Alloc(const std::string& id) const {
    std::shared_ptr<const AllocRecord> out;
    store.Read([&](const Tables& tables) { out = Tables::Find(tables.allocs, id); });
    return out;
  }
  std::shared_ptr<const Evaluation> Eval(const std::string& id) const {
    std::shared_ptr<const Evaluation> out;
    store.Read([&](const Tables& tables) { out = Tables::Find(tables.evals, id); });
    return out;
  }
  std::shared_ptr<const JobRecord> JobOf(const std::string& id) const {
    std::shared_ptr<const JobRecord> out;
    store.Read(
        [&](const Tables& tables) { out = Tables::Find(tables.jobs, JobKey("default", id)); });
    return out;
  }

  template <typename T>
  T Await(Co<T> coroutine) {
    std::optional<T> out;
    EXPECT_TRUE(loop.RunToEnd(Store(std::move(coroutine), &out)));
    return std::move(*out);
  }

  JumpingLoop loop;
  Context context{&loop};
  StateStore store;
  FakePortPool ports;
  Scheduler scheduler;

 private:
  template <typename T>
  static Co<void> Store(Co<T> coroutine, std::optional<T>* out) {
    out->emplace(co_await std::move(coroutine));
  }
};

}  // namespace drover
