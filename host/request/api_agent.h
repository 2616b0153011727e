// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/acl/acl_changes.h"
#include "host/alloc/alloc_runner.h"
#include "host/base/gate.h"
#include "host/device/device_group.h"
#include "host/http/byte_budget.h"
#include "host/scheduler/scheduler.h"
#include "host/spec/blocks/service_policy.h"
#include "host/taskenv/node_meta.h"
#include "host/volume/volume_draft.h"

namespace drover {

class AclResolver;
class AclState;
class HostStatsReader;
class Keyring;
class LogMonitor;
class LogWatcher;
class MetricRegistry;
struct Metric;
class SealKey;
class WorkerPool;

// The settings of the API that a reload of the configuration can change.
struct ApiSettings {
  bool acl_enabled = false;  // whether tokens and policies count
  bool needs_token = false;  // whether there are clients that may not do everything
  AclLimits acl_limits;
  ServicePolicy services;   // decides which services a new job may have
  bool prometheus = false;  // whether metrics are available in the format of Prometheus
  // Returns the metrics of running allocations. Must be called on the control thread; see
  // CallControl. If this function is empty, the agent does not publish these metrics.
  std::function<Co<Result<std::vector<Metric>>>(Context context)> alloc_metrics;
};

// Holds the newest settings of the API. [any thread]
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

// The parts of the agent that the API uses. This object must outlive the HTTP server.
struct ApiAgent {
  std::string version;
  std::string name;  // the name of the node
  std::string region = "global";
  std::string datacenter = "dc1";
  std::string node_id;
  SharedApiSettings settings;
  // The configuration without secrets, which /v1/agent/self returns.
  std::shared_ptr<const nlohmann::json> config;
  StateStore* store = nullptr;  // [any thread]
  // Finds out who asks, and what that client may do. If null, everybody may do everything. [any
  // thread]
  AclResolver* resolver = nullptr;
  // The tokens, policies and roles. Null if there are none. All threads read them, and the control
  // thread changes them.
  AclState* acl = nullptr;
  // The file with the number that allows one more bootstrap. May be missing.
  std::string bootstrap_reset_file;
  LogMonitor* log_monitor = nullptr;      // [any thread]
  HostStatsReader* host_stats = nullptr;  // [any thread]
  MetricRegistry* metrics = nullptr;      // [any thread]
  // the directory that contains the directories of the allocations
  std::string alloc_dir;
  WorkerPool* file_workers = nullptr;  // [any thread] does the work on files below alloc_dir
  LogWatcher* file_watcher = nullptr;  // [any thread]
  // Returns the newest results of the checks of an allocation, by the id of the check, in the form
  // in which clients read them. If this function is empty, the agent runs no checks. [any thread]
  std::function<nlohmann::json(const std::string& alloc_id)> checks;
  // The memory in bytes that the parsed JSON bodies of all requests may take together.
  static constexpr std::size_t kTreeBytes = std::size_t{32} << 20;
  std::shared_ptr<ByteBudget> trees = std::make_shared<ByteBudget>(kTreeBytes);  // [any thread]
  // The turns to read a job file in HCL. Each request takes 1 of them, as many as DecodeHcl reads
  // at once.
  static constexpr std::size_t kHclTurns = 4;
  std::shared_ptr<ByteBudget> hcl_turns = std::make_shared<ByteBudget>(kHclTurns);  // [any thread]
  std::shared_ptr<const SealKey> seal_key;  // [any thread] seals the items of variables
  // The keys that sign the tokens of tasks. Keyring::public_keys may be called on any thread, the
  // rest only on the control thread.
  Keyring* keyring = nullptr;
  std::string oidc_issuer;  // see OpenIdDocument
  // The time when the agent started.
  TimePoint started;

  // Only the control thread may use the members below; see CallControl.
  Loop* control = nullptr;
  Gate* calls = nullptr;  // runs the coroutines of CallControl
  Scheduler* scheduler = nullptr;
  // Returns when all changes made before the call are durable, so that they survive a power cut. A
  // client must receive the answer to its change only after that. If this function is empty, the
  // agent keeps no state on disk.
  std::function<Co<Status>(Context context)> make_durable;
  std::function<NodeMeta()> node_meta;
  // Applies CHANGES, which a client requested, to the metadata of the node; see NodeMeta::Apply.
  std::function<Status(const NodeMeta::Changes& changes)> change_node_meta;
  // See AgentVolumes::Put and AgentVolumes::Delete. If these functions are empty, there are no
  // volumes of clients.
  std::function<Co<Result<std::shared_ptr<const VolumeRecord>>>(Context context, VolumeRecord draft,
                                                                VolumeRequestKind kind)>
      put_volume;
  std::function<Co<Status>(Context context, std::string id)> delete_volume;
  PluginRegistry* plugins = nullptr;
  // Measures the devices of the node; see DeviceManager::Measure and MeasureOnly. If these
  // functions are empty, the node has none.
  std::function<Co<DeviceStats>(Context context)> measure_devices;
  std::function<Co<DeviceStats>(Context context, std::vector<AllocatedDevice> devices)>
      measure_some_devices;
  // Waits a limited time until the drivers that JOB needs are loaded. If this function is empty,
  // there are no drivers to wait for.
  std::function<Co<void>(Context context, std::shared_ptr<const Job> job)> await_drivers;
  // Returns the runner of the allocation, or null if this agent has no runner for it.
  std::function<AllocRunner*(const std::string& alloc_id)> find_runner;
};

// Runs FUNCTION on the control thread and returns its result. FUNCTION takes a Context and returns
// a coroutine. This call returns only after FUNCTION has ended, even if the caller's context ends
// earlier, so FUNCTION may use the caller's variables. Only coroutines of other threads may call
// CallControl.
template <typename F, typename R = typename std::invoke_result_t<F&, Context>::value_type>
Co<R> CallControl(Loop* caller, const ApiAgent* agent, F function) {
  struct Call {
    explicit Call(Loop* loop) : answered(loop) {}
    Event answered;
    R answer = Error(Code::kUnavailable, "the agent is shutting down");
  };
  const auto call = std::make_shared<Call>(caller);
  const auto run = [](Loop* from, Loop* control, F work, std::shared_ptr<Call> to) -> Co<void> {
    const Context context(control);
    R answer = co_await work(context);
    from->Post([to, answer = std::move(answer)]() mutable {
      to->answer = std::move(answer);
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
