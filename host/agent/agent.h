// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/agent/agent_config.h"
#include "host/agent/node.h"
#include "host/agent/node_client.h"
#include "host/agent/task_counters.h"
#include "host/api/http_server.h"
#include "host/api/log_monitor.h"
#include "host/api/routes/api_agent.h"
#include "host/base/worker_pool.h"
#include "host/logs/log_watcher.h"
#include "host/stats/host_stats.h"

namespace drover {

struct AgentOptions {
  AgentConfig config;  // alloc_dir is set and exists
  std::string version;
  // Where the agent keeps what the next one needs to take its tasks over. Empty: it keeps nothing,
  // and its tasks end with it.
  std::string state_dir;
  std::uint64_t task_open_files = 0;  // the soft limit that tasks begin with; 0: the agent's
};

// A node, the scheduler of its machine, and the HTTP API that speaks for both. Control thread only.
class Agent {
 public:
  static Result<std::unique_ptr<Agent>> Create(Loop* loop, AgentOptions options);
  ~Agent();

  // Loads the drivers, serves, and runs what it is told to until STOP ends; then ends all tasks in
  // order, or leaves them to the next agent. READY is called once the API answers. An error means
  // that it never did.
  Co<Status> Run(Context stop, std::function<void()> ready);

  // Carries out what the configuration that READ returns says otherwise, as far as an agent that
  // serves can: the log level, gc, telemetry, the token, the files of TLS and the plugins, also
  // those whose file alone has changed. READ and what it names are read on another thread. Logs in
  // one line what has changed and what needs a restart; after an error nothing has changed.
  Co<Status> Reload(std::function<Result<AgentConfig>()> read);

  // Kills every process of every task at once, unless they are to go on without this agent.
  void KillAll() {
    if (!kept_) node_->KillAll();
  }

  // Where the API listens: "127.0.0.1:4646". Once it is ready.
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
  // Takes over what was kept; returns what keeps the rest.
  StateStore::Journal BeginFromKept();
  static Co<void> AwaitDrivers(Agent* self, Context context, std::shared_ptr<const Job> job);
  Co<double> DiskUsed();
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
  HostStats::Disk disk_;  // that of the allocations, at the start
  MetricRegistry metrics_;
  TaskCounters task_counters_{&metrics_};
  StatsDemand::Token measuring_;  // held while what tasks use is published
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<NodeClient> client_;
  Gate calls_;
  // Of those who read files and logs: a disk that hangs under them does not hold the node.
  WorkerPool file_workers_;
  WorkerPool stopper_{1};  // ends the server, whatever all others wait for
  LogWatcher file_watcher_;
  std::string address_;                          // where the API listens
  std::string advertised_;                       // where clients are told that it is
  std::map<std::string, DriverRecord> drivers_;  // as they were described last
  ApiAgent api_;
  std::unique_ptr<HttpServer> server_;
  std::atomic<const HttpServer*> serving_{nullptr};  // the server once it runs, for its own threads
  std::vector<Subscription> fingerprints_;
};

}  // namespace drover
