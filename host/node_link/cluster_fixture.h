// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/alloc/minimal_alloc_runner.h"
#include "host/base/gate.h"
#include "host/base/jumping_loop_for_test.h"
#include "host/node_link/cut_link.h"
#include "host/node_link/node_client.h"
#include "host/scheduler/scheduler.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/spec/canonical_job.h"
#include "host/state/record_json.h"

// For tests: several nodes and a scheduler in one process, in simulated time. Each node has its own
// link, which a test may cut.
namespace drover {

// Returns a service job with one group "g" of COUNT allocations with one task "t".
inline Job JobOfGroup(const std::string& id, int count, int memory_mb = 100) {
  Job job;
  job.id = job.name = id;
  TaskGroup group;
  group.name = "g";
  group.count = count;
  Task task;
  task.name = "t";
  task.driver = "mock_driver";
  task.config_json = "{}";
  task.resources = {10, memory_mb, 0};
  group.tasks.push_back(std::move(task));
  job.groups.push_back(std::move(group));
  return job;
}

inline JobRegistration RegistrationOf(Job job) {
  JobRegistration registration;
  registration.json =
      std::make_shared<const nlohmann::json>(CanonicalJob(job, nlohmann::json::object()));
  registration.job = std::make_shared<const Job>(std::move(job));
  return registration;
}

// A node, with the runners of its allocations. A runner only has states: see MinimalAllocRunner.
class SimulatedNode {
 public:
  class Runner : public MinimalAllocRunner {
   public:
    Runner(Loop* loop, std::shared_ptr<const Allocation> alloc, SimulatedNode* node)
        : MinimalAllocRunner(loop, std::move(alloc)), node_(node) {
      node_->runners_[id()] = this;
    }
    ~Runner() override {
      const auto at = node_->runners_.find(id());
      if (at != node_->runners_.end() && at->second == this) node_->runners_.erase(at);
    }
    void Start() override {
      const auto ended = node_->ended_.extract(id());
      if (!ended.empty()) return StartEnded(ended.mapped());
      ++node_->started[id()];
      MinimalAllocRunner::Start();
    }

   private:
    SimulatedNode* const node_;
  };

  SimulatedNode(Loop* loop, NodeRecord node) : loop_(loop), node_(std::move(node)) {}
  ~SimulatedNode() { Stop(); }
  SimulatedNode(const SimulatedNode&) = delete;
  SimulatedNode& operator=(const SimulatedNode&) = delete;

  const std::string& id() const { return node_.id; }
  bool on() const { return client_ != nullptr; }

  // Starts the client of the node. Tasks have run on without it, and those that had ended before
  // are not started again.
  void Start() {
    running_.emplace(loop_);
    gate_ = std::make_unique<Gate>(loop_);
    client_ = std::make_unique<NodeClient>(
        loop_, &link, node_,
        [this](std::shared_ptr<const Allocation> alloc) -> Result<std::unique_ptr<AllocRunner>> {
          return std::unique_ptr<AllocRunner>(new Runner(loop_, std::move(alloc), this));
        });
    client_->SetRestored(std::exchange(kept_, {}));
    EXPECT_TRUE(gate_->Spawn(client_->Run(*running_)));
  }
  // Ends the client. The tasks run on, as when an agent ends.
  void Stop() {
    if (client_ == nullptr) return;
    for (const std::string& alloc_id : client_->alloc_ids()) {
      const Runner* const of = runner(alloc_id);
      if (of == nullptr) continue;
      kept_.insert(alloc_id);
      if (of->ended()) ended_[alloc_id] = of->snapshot()->tasks;
    }
    running_->Cancel();
    auto* const loop = dynamic_cast<SimLoop*>(loop_);
    EXPECT_TRUE(loop->RunToEnd(gate_->Close()));
    Gate callers(loop_);
    EXPECT_TRUE(loop->RunToEnd(client_->ShutdownAll(&callers)));
    client_.reset();
  }

  NodeClient* client() { return client_.get(); }
  const NodeRecord& record() const { return node_; }
  // Returns the runner of an allocation; null if it has none on this node.
  Runner* runner(const std::string& alloc_id) {
    const auto found = runners_.find(alloc_id);
    return found == runners_.end() ? nullptr : found->second;
  }
  // The ids of the allocations whose tasks run.
  std::set<std::string> Running() const {
    std::set<std::string> ids;
    for (const auto& [alloc_id, of] : runners_) {
      if (of->snapshot()->status.status == ClientStatus::kRunning && !of->ended()) {
        ids.insert(alloc_id);
      }
    }
    return ids;
  }

  CutLink link;
  std::map<std::string, int> started;  // how often each allocation was started

 private:
  Loop* const loop_;
  const NodeRecord node_;
  std::set<std::string> kept_;               // what the next client restores
  std::map<std::string, TaskStates> ended_;  // the tasks of those that had ended
  std::map<std::string, Runner*> runners_;
  std::optional<Context> running_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<NodeClient> client_;
};

class SimulatedCluster {
 public:
  explicit SimulatedCluster(SchedulerOptions options = {}) : options_(std::move(options)) {
    options_.ports_of = [this](const std::string& node_id) { return &ports[node_id]; };
    StartServer(Tables());
  }
  ~SimulatedCluster() {
    for (auto& [id, node] : nodes_) node->Stop();
    StopServer();
  }

  // Adds a node and starts it. It is ready after the loop has run.
  SimulatedNode& Add(NodeRecord record) {
    auto node = std::make_unique<SimulatedNode>(&loop, record);
    node->link.Connect(scheduler_.get(), *life_);
    SimulatedNode& added = *(nodes_[record.id] = std::move(node));
    added.Start();
    loop.RunReady();
    return added;
  }
  SimulatedNode& Add(const std::string& id) {
    NodeRecord record;
    record.id = record.name = id;
    record.cpu_mhz = record.memory_mb = 1000;
    record.disk_mb = 1'000'000;
    return Add(std::move(record));
  }
  SimulatedNode& node(const std::string& id) { return *nodes_.at(id); }

  // Kills the server at this moment, and starts the next one with all records that were stored.
  void RestartServer() {
    Tables again = Kept();
    StopServer();
    StartServer(std::move(again));
  }

  Scheduler* scheduler() { return scheduler_.get(); }
  StateStore* store() { return store_.get(); }

  JobReply MustRegister(Job job) {
    const Result<JobReply> reply = scheduler_->Register(RegistrationOf(std::move(job)));
    EXPECT_TRUE(reply.ok()) << reply.error().message();
    loop.RunReady();
    return reply.ok() ? *reply : JobReply();
  }
  std::shared_ptr<const NodeRecord> Node(const std::string& id) const {
    std::shared_ptr<const NodeRecord> out;
    store_->Read([&](const Tables& tables) { out = Tables::Find(tables.nodes, id); });
    return out;
  }
  std::string StatusOf(const std::string& node_id) const { return Node(node_id)->status; }
  std::shared_ptr<const AllocRecord> Alloc(const std::string& id) const {
    std::shared_ptr<const AllocRecord> out;
    store_->Read([&](const Tables& tables) { out = Tables::Find(tables.allocs, id); });
    return out;
  }
  // The allocations of a job in the namespace "default", the oldest first.
  AllocRecords AllocsOf(const std::string& job) const {
    AllocRecords out;
    store_->Read([&](const Tables& tables) {
      const JobAllocs& all = tables.AllocsOf({"default", job});
      out.assign(all.begin(), all.end());
    });
    return out;
  }
  // Those of them that must run and have not ended, as far as the server knows.
  AllocRecords Live(const std::string& job) const {
    AllocRecords out = AllocsOf(job);
    std::erase_if(out, [](const auto& record) { return record->terminal(); });
    return out;
  }
  // How many evaluations of a job a cause has made.
  std::size_t Evals(const std::string& job, const std::string& triggered_by) const {
    std::size_t count = 0;
    store_->Read([&](const Tables& tables) {
      for (const auto& [id, eval] : tables.evals) {
        count += eval->job_id == job && eval->triggered_by == triggered_by;
      }
    });
    return count;
  }

  template <typename T>
  T Await(Co<T> coroutine) {
    std::optional<T> out;
    EXPECT_TRUE(loop.RunToEnd(Store(std::move(coroutine), &out)));
    return std::move(*out);
  }

  JumpingLoop loop;
  std::map<std::string, FakePortPool> ports;  // by node id

 private:
  template <typename T>
  static Co<void> Store(Co<T> coroutine, std::optional<T>* out) {
    out->emplace(co_await std::move(coroutine));
  }

  void StartServer(Tables tables) {
    store_ = std::make_unique<StateStore>();
    store_->Begin(std::move(tables));
    scheduler_ = std::make_unique<Scheduler>(&loop, store_.get(), &ports[""], options_);
    life_.emplace(&loop);
    gate_ = std::make_unique<Gate>(&loop);
    EXPECT_TRUE(gate_->Spawn(scheduler_->Run(*life_)));
    for (auto& [id, node] : nodes_) node->link.Connect(scheduler_.get(), *life_);
  }
  void StopServer() {
    life_->Cancel("the server is gone");
    EXPECT_TRUE(loop.RunToEnd(gate_->Close()));
    loop.RunReady();  // ends the calls of the nodes
    scheduler_.reset();
    store_.reset();
  }

  // Returns what the next agent finds.
  Tables Kept() const {
    Tables again;
    store_->Read([&again](const Tables& tables) {
      again.last_index = tables.last_index;
      again.index.fill(tables.last_index);
      for (const auto& [key, versions] : tables.versions) {
        for (const auto& [number, record] : versions) again.Put(key, record);
      }
      for (const auto& [id, record] : tables.evals) again.Put(record);
      for (const auto& [id, record] : tables.allocs) again.Put(record);
      for (const auto& [id, record] : tables.nodes) {
        again.Put(DecodeNode(EncodeRecord(*record)).value());
      }
      for (const auto& [key, record] : tables.variables) again.Put(record);
      for (const auto& [id, record] : tables.volumes) again.Put(record);
      for (const auto& [id, record] : tables.deployments) again.Put(record);
      for (const auto& [key, record] : tables.launches) again.Put(record);
      for (const auto& [id, record] : tables.restarts) again.Put(record);
      for (const auto& record : tables.services) again.Put(record);
      if (tables.scheduler_config) again.Put(tables.scheduler_config);
    });
    again.changes.clear();
    return again;
  }

  SchedulerOptions options_;
  std::map<std::string, std::unique_ptr<SimulatedNode>> nodes_;
  std::unique_ptr<StateStore> store_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<Context> life_;
  std::unique_ptr<Gate> gate_;
};

}  // namespace drover
