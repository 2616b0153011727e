// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/after_burst.h"
#include "host/agent/agent_acl.h"
#include "host/agent/agent_volumes.h"
#include "host/agent/job_restarter.h"
#include "host/agent/task_api.h"
#include "host/agent/task_counters.h"
#include "host/base/worker_pool.h"
#include "host/config/agent_config.h"
#include "host/http/http_server.h"
#include "host/logs/log_watcher.h"
#include "host/node/node.h"
#include "host/node_link/node_client.h"
#include "host/request/api_agent.h"
#include "host/stats/host_stats.h"
#include "host/streams/log_monitor.h"

namespace drover {

struct AgentOptions {
  AgentConfig config;  // client.alloc_dir must name an existing directory
  std::string version;
  // The directory of the state from which the next agent restores the tasks. If it is empty, the
  // agent keeps no state, and all tasks end when the agent ends.
  std::string state_dir;
  // The directory of the key that seals the secrets in the state. Needed if state_dir is set.
  std::string key_dir;
  std::string network_dir;      // see NodeOptions
  std::string plugin_data_dir;  // see NodeOptions
  // The soft limit of open files with which tasks start. 0 means the limit of the agent.
  std::uint64_t task_open_files = 0;
  // The soft limit of core files with which tasks start. Absent: the limit of the agent.
  std::optional<std::uint64_t> task_core_bytes;
};

// A node, the scheduler of its machine, and the HTTP API of both. Control thread only.
class Agent {
 public:
  static Result<std::unique_ptr<Agent>> Create(Loop* loop, AgentOptions options);
  ~Agent();

  // Loads the drivers, serves the API and runs allocations until STOP ends. Then an agent that
  // keeps state leaves all tasks to the next agent. Any other agent stops all tasks gracefully.
  // Calls READY once the API answers. An error means that the API never answered.
  Co<Status> Run(Context stop, std::function<void()> ready);

  // Applies the changes of the configuration that need no restart. READ returns the new
  // configuration, and runs on another thread. A change of the log level, gc, server, the published
  // metrics, the token, acl, the TLS files or the plugins needs no restart. Reload also reloads a
  // plugin if only its file has changed. Reload logs one line with the keys that have changed and
  // the keys that need a restart. If Reload returns an error, nothing has changed.
  Co<Status> Reload(std::function<Result<AgentConfig>()> read);

  // Kills every process of every task at once, unless the tasks must outlive this agent.
  void KillAll() {
    if (!kept_) node_->KillAll();
  }

  // The address on which the API listens, such as "127.0.0.1:4646". Empty until the API answers.
  const std::string& address() const { return address_; }
  bool tls() const;

 private:
  Agent(Loop* loop, AgentOptions options);

  void AddMetrics();
  Status Serve();
  void ApplySettings(const AgentConfig& config);
  Co<void> RefreshPlugins(std::vector<PluginConfig> wanted, std::vector<std::string>* changed);
  Co<void> StopServing();
  Co<void> LeaveTasks(Status* status);
  // Fills the state store with the state that an earlier agent kept. Returns the journal that
  // keeps later changes.
  StateStore::Journal BeginFromKept();
  static Co<void> AwaitDrivers(Agent* self, Context context, std::shared_ptr<const Job> job);
  Co<double> DiskUsed();
  Co<void> GiveMemoryBack();
  void ServeVolumes();
  static Co<void> RestoreVolumes(Agent* self);
  static Co<void> FindNetworkPlugins(Agent* self);
  NodeRecord Describe();
  Status ChangeMeta(const NodeMeta::Changes& changes);
  void DescribeDrivers(NodeRecord* record);

  Loop* const loop_;
  AgentOptions options_;
  std::unique_ptr<KeptState> kept_;  // null if the agent keeps no state
  std::unique_ptr<Node> node_;
  NodeMeta meta_;  // the metadata of the node
  StateStore store_;
  AgentAcl acl_{&store_};
  std::string token_hash_;  // of the agent's own token; empty: it has none
  std::unique_ptr<LogMonitor> log_monitor_;
  std::unique_ptr<HostStatsReader> host_stats_;
  HostStats::Disk disk_;  // the disk of the allocation directories, as read at the start
  MetricRegistry metrics_;
  TaskCounters task_counters_{&metrics_};
  StatsDemand::Token measuring_;  // while it is set, the node measures all tasks
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<JobRestarter> restarter_;
  std::unique_ptr<AgentVolumes> volumes_;
  std::unique_ptr<NodeClient> client_;
  // Counts the allocations that end or are restored. After many of them, the agent returns free
  // memory to the system.
  AfterBurst burst_;
  Gate calls_;
  // Threads that read files and logs for clients. A disk that hangs blocks only these threads, not
  // the node.
  WorkerPool file_workers_;
  WorkerPool stopper_{1};  // the thread that stops server_; it does no other work
  LogWatcher file_watcher_;
  std::string address_;                          // the address on which the API listens
  std::string advertised_;                       // the address of the API for clients
  std::map<std::string, DriverRecord> drivers_;  // the last record of each driver, by name
  ApiAgent api_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<TaskApi> task_api_;  // null before the API answers
  // The server while it runs, else null. Threads of the server read it, so it is atomic.
  std::atomic<const HttpServer*> serving_{nullptr};
  std::vector<Subscription> fingerprints_;
};

}  // namespace drover
