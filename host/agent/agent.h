// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/agent/after_burst.h"
#include "host/agent/agent_config.h"
#include "host/agent/node.h"
#include "host/agent/node_client.h"
#include "host/agent/task_counters.h"
#include "host/api/api_agent.h"
#include "host/api/log_monitor.h"
#include "host/base/worker_pool.h"
#include "host/http/http_server.h"
#include "host/logs/log_watcher.h"
#include "host/stats/host_stats.h"

namespace drover {

struct AgentOptions {
  AgentConfig config;  // alloc_dir is set and exists
  std::string version;
  // The directory of the state from which the next agent restores the tasks. Empty: the agent keeps
  // no state, and its tasks end with it.
  std::string state_dir;
  std::uint64_t task_open_files = 0;  // the soft limit that tasks begin with; 0: the agent's
};

// A node, the scheduler of its machine, and the HTTP API of both. Control thread only.
class Agent {
 public:
  static Result<std::unique_ptr<Agent>> Create(Loop* loop, AgentOptions options);
  ~Agent();

  // Loads the drivers, serves the API and runs allocations until STOP ends. Then ends all tasks in
  // order or, if it keeps state, leaves them to the next agent. Calls READY once the API answers.
  // An error means that the API never answered.
  Co<Status> Run(Context stop, std::function<void()> ready);

  // Applies the changes in the configuration that READ returns, as far as a serving agent can: the
  // log level, gc, server, telemetry, the token, the files of TLS and the plugins, also plugins of
  // which only the file has changed. READ runs on another thread. Logs in one line which keys have
  // changed and which need a restart. After an error nothing has changed.
  Co<Status> Reload(std::function<Result<AgentConfig>()> read);

  // Kills every process of every task at once, unless the tasks must go on without this agent.
  void KillAll() {
    if (!kept_) node_->KillAll();
  }

  // Where the API listens, such as "127.0.0.1:4646"; empty until the API answers.
  const std::string& address() const { return address_; }
  bool tls() const;

 private:
  Agent(Loop* loop, AgentOptions options);

  void AddMetrics();
  Status Serve();
  void ApplySettings(const AgentConfig& config, std::string token);
  Co<void> RefreshPlugins(std::vector<PluginConfig> wanted, std::vector<std::string>* changed);
  Co<void> StopServing();
  Co<void> LeaveTasks(Status* status);
  // Begins the state store with the kept state; returns the journal that keeps later changes.
  StateStore::Journal BeginFromKept();
  static Co<void> AwaitDrivers(Agent* self, Context context, std::shared_ptr<const Job> job);
  Co<double> DiskUsed();
  Co<void> GiveMemoryBack();
  NodeRecord Describe();
  Status ChangeMeta(const NodeMeta::Changes& changes);
  void DescribeDrivers(NodeRecord* record);

  Loop* const loop_;
  AgentOptions options_;
  std::unique_ptr<KeptState> kept_;  // null: nothing is kept
  std::unique_ptr<Node> node_;
  NodeMeta meta_;  // of the node
  StateStore store_;
  std::unique_ptr<LogMonitor> log_monitor_;
  std::unique_ptr<HostStatsReader> host_stats_;
  HostStats::Disk disk_;  // of the allocation directories, at the start
  MetricRegistry metrics_;
  TaskCounters task_counters_{&metrics_};
  StatsDemand::Token measuring_;  // held while metrics of allocations are published
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<NodeClient> client_;
  AfterBurst burst_;  // of allocations that have ended or are restored, and need less now
  Gate calls_;
  // Reads files and logs for clients: a disk that hangs there does not hold up the node.
  WorkerPool file_workers_;
  WorkerPool stopper_{1};  // stops the server, even while all other threads wait
  LogWatcher file_watcher_;
  std::string address_;                          // where the API listens
  std::string advertised_;                       // the address of the API for clients
  std::map<std::string, DriverRecord> drivers_;  // as last described
  ApiAgent api_;
  std::unique_ptr<HttpServer> server_;
  std::atomic<const HttpServer*> serving_{nullptr};  // the server while it runs; for its threads
  std::vector<Subscription> fingerprints_;
};

}  // namespace drover
