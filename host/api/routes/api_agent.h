// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/api/byte_budget.h"
#include "host/base/gate.h"
#include "host/scheduler/scheduler.h"
#include "host/taskenv/node_meta.h"

namespace drover {

class HostStatsReader;
class LogMonitor;
class LogWatcher;
class MetricRegistry;
struct Metric;
class WorkerPool;

// What the API does otherwise once the agent has read its configuration again.
struct ApiSettings {
  std::string token;        // who asks must know it; empty: everybody may. Never told, never logged
  bool prometheus = false;  // whether metrics are told in its format
  // What the tasks use; for the control thread, see CallControl. Empty: it is not published.
  std::function<Co<Result<std::vector<Metric>>>(Context context)> alloc_metrics;
};

// The newest settings. [any thread]
class SharedApiSettings {
 public:
  std::shared_ptr<const ApiSettings> Get() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  void Set(ApiSettings settings) {
    auto next = std::make_shared<const ApiSettings>(std::move(settings));
    const std::lock_guard lock(mutex_);
    settings_.swap(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ApiSettings> settings_ = std::make_shared<const ApiSettings>();
};

class PluginRegistry;

// What the API needs of the agent that it speaks for. It outlives the server.
struct ApiAgent {
  std::string version;
  std::string name;  // of the node
  std::string region = "global";
  std::string datacenter = "dc1";
  std::string node_id;
  SharedApiSettings settings;
  std::shared_ptr<const nlohmann::json> config;  // for /v1/agent/self, without secrets
  StateStore* store = nullptr;                   // [any thread]
  LogMonitor* log_monitor = nullptr;             // [any thread]
  HostStatsReader* host_stats = nullptr;         // [any thread]
  MetricRegistry* metrics = nullptr;             // [any thread]
  std::string alloc_dir;                         // of all allocations
  WorkerPool* file_workers = nullptr;            // [any thread]: for what is below it
  LogWatcher* file_watcher = nullptr;            // [any thread]
  // What the bodies of requests may take as trees of values, of all that are being handled.
  static constexpr std::size_t kTreeBytes = std::size_t{32} << 20;
  std::shared_ptr<ByteBudget> trees = std::make_shared<ByteBudget>(kTreeBytes);  // [any thread]
  TimePoint started;                                                             // of the agent

  // For the control thread, which these belong to; see CallControl.
  Loop* control = nullptr;
  Gate* calls = nullptr;  // what the API has asked for and is not done
  Scheduler* scheduler = nullptr;
  // Returns when all that was done so far would survive a power cut; only then is it promised to a
  // client. Empty: nothing is kept.
  std::function<Co<Status>(Context context)> make_durable;
  // The metadata of the node; and takes what a client sets, see NodeMeta::Apply.
  std::function<NodeMeta()> node_meta;
  std::function<Status(const NodeMeta::Changes& changes)> change_node_meta;
  PluginRegistry* plugins = nullptr;
  // Waits a while for those drivers of a job that are still being loaded. Empty: there are none.
  std::function<Co<void>(Context context, std::shared_ptr<const Job> job)> await_drivers;
  // Null when the allocation has no runner here.
  std::function<AllocRunner*(const std::string& alloc_id)> find_runner;
};

// Runs FUNCTION on the control thread and returns what it answers; by then it has ended, whatever
// becomes of the caller's context. Of another thread's coroutine.
template <typename T>
Co<Result<T>> CallControl(Loop* caller, const ApiAgent* agent,
                          std::function<Co<Result<T>>(Context context)> function) {
  struct Call {
    explicit Call(Loop* loop) : answered(loop) {}
    Event answered;
    Result<T> answer = Error(Code::kUnavailable, "the agent is shutting down");
  };
  const auto call = std::make_shared<Call>(caller);
  const auto run = [](Loop* from, Loop* control, std::function<Co<Result<T>>(Context)> work,
                      std::shared_ptr<Call> to) -> Co<void> {
    const Context context(control);
    Result<T> answer = co_await work(context);
    from->Post([to, answer = std::make_shared<Result<T>>(std::move(answer))] {
      to->answer = std::move(*answer);
      to->answered.Set();
    });
  };
  agent->control->Post([caller, agent, run, call, work = std::move(function)]() mutable {
    if (!agent->calls->Spawn(run(caller, agent->control, std::move(work), call))) {
      caller->Post([call] { call->answered.Set(); });
    }
  });
  co_await call->answered.Wait();
  co_return std::move(call->answer);
}

}  // namespace drover
