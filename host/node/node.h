// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/alloc/disk_limits.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/loop.h"
#include "host/base/worker_pool.h"
#include "host/config/agent_config.h"
#include "host/device/device_manager.h"
#include "host/node/kept_leftovers.h"
#include "host/node/kept_state.h"
#include "host/node/late_releases.h"
#include "host/node/leftovers.h"
#include "host/node/machine.h"
#include "host/node/node_checks.h"
#include "host/node/node_keys.h"
#include "host/node/node_plugin_hooks.h"
#include "host/node/run_ledger.h"
#include "host/node/state_values.h"
#include "host/node/sticky_disk_hook.h"
#include "host/placement/placement.h"
#include "host/plugin/plugin_registry.h"
#include "host/process/process_service.h"
#include "host/spec/blocks/service_policy.h"
#include "host/stats/stats_demand.h"
#include "host/task/task_seams.h"
#include "host/taskenv/task_env.h"
#include "host/volume/host_volumes.h"

namespace drover {

struct TaskHooks;

struct NodeOptions {
  AgentConfig config;  // client.alloc_dir must name an existing directory
  // If true (`drover run`), the tasks end with this process, however it ends. If false, the tasks
  // outlive the process.
  bool foreground = false;
  // If true, the node only inspects its plugins. It runs nothing, and clears away nothing that
  // other nodes left.
  bool inspect_only = false;
  // If true, the directories of the node's allocations stay if the node dies.
  bool keep_directories = false;
  std::uint64_t task_open_files = 0;             // see ProcessServiceOptions::open_files
  std::optional<std::uint64_t> task_core_bytes;  // see ProcessServiceOptions::core_bytes
  bool alloc_dir_is_own = false;  // alloc_dir was made for this node and is removed when empty
  KeptState* kept = nullptr;      // not owned; null: no state is kept or restored
  // Which services the node registers. Absent: none, since nobody could find them.
  std::optional<ServicePolicy> services;
  std::string key_dir;      // see NodeKeysOptions; needed if KEPT is set
  std::string network_dir;  // of the notes of networks; empty: they do not survive a reboot
  // The place of the directories that plugins have of their own. Its parent directory must exist.
  // Empty: plugins do not get the service of the node.
  std::string plugin_data_dir;
  std::string agent_version;
  std::function<std::optional<LivingAllocs>()> living;  // see KeyringOptions; may be empty
  PluginLogSink plugin_log;                             // empty: the program's default logger
  // With a store, templates have the services and variables in it. The seal key is the node's own.
  StateValuesOptions template_values;
  // Adds hooks to those of each task. POOL is for work on the files of tasks that start. May be
  // empty.
  std::function<void(const Allocation& alloc, const Task& task, WorkerPool* pool, TaskHooks* hooks)>
      add_task_hooks;
  DriverLimits driver_limits;
  // See HostVolumesOptions. Both may be empty.
  std::function<std::optional<VolumeRecord>(const std::string& name_space, const std::string& name)>
      find_volume;
  std::function<std::vector<std::string>()> volume_paths;
  // See StickyDiskHook. If this function is empty, no allocation waits for the one that it
  // replaces.
  StickyDiskHook::WaitEnded wait_ended;
};

class ArtifactFetcher;
class NodeConsul;
class NodeNetworks;
class NodeServices;
class NodeTemplates;
class RestoreBarrier;
class TaskUsers;
struct LocalAllocEnv;

// A node owns and connects everything that runs allocations on this machine. Control thread only.
class Node {
 public:
  static Result<std::unique_ptr<Node>> Create(Loop* loop, NodeOptions options);
  ~Node();

  const std::string& id() const { return id_; }
  const std::string& name() const { return name_; }
  const std::string& pool() const { return info_.pool; }
  const Machine& machine() const { return machine_; }
  // The attributes of the machine and the current attributes of its drivers.
  StringMap Attributes() const;
  // Sets the values of ${meta.KEY} for tasks that start from now on.
  void SetMeta(StringMap meta) { info_.meta = std::move(meta); }

  // Ends the runs of dead nodes, and loads the plugins at the same time. A driver receives
  // RestoreComplete after the runners have recovered all tasks that an earlier agent left with
  // this driver. The driver may start tasks only after RestoreComplete. Start returns when all
  // runs of dead nodes have ended and all plugins are loaded, or after PATIENCE. A PATIENCE of 0
  // means no limit. After Start has returned, unfinished work continues in the background, and so
  // does the removal of directories. A plugin that cannot be used causes a report, not an error.
  Co<std::vector<PluginReport>> Start(Context context, Duration patience = Duration(0));
  // Checks the constraints of a job, that its drivers exist, and that they accept the tasks'
  // configurations. PLACE is the JSON pointer of the job in its file. The error names all
  // mistakes, each with its JSON pointer. Returns kUnavailable if a driver of the job is still
  // being loaded.
  Status CheckJob(const Job& job, const std::string& place);
  // Returns what the drivers of a job do not carry out, although they accept it. PLACE is as above.
  std::vector<std::string> JobWarnings(const Job& job, const std::string& place) const;
  Result<std::vector<std::shared_ptr<const Allocation>>> Place(std::shared_ptr<const Job> job);
  Result<std::unique_ptr<AllocRunner>> MakeRunner(std::shared_ptr<const Allocation> alloc);
  // Frees the ports of an allocation. No process of the allocation may run any more.
  void Release(const Allocation& alloc);
  // The directory of the log files of an allocation's tasks.
  std::string LogDir(const Allocation& alloc) const;

  // Kills every process of every run at once. The runners then find that their tasks have ended.
  void KillAll();
  // Shuts down the drivers. Call Shutdown when no runner runs any more. In a foreground run,
  // Shutdown also waits until everything that dead nodes have left is removed.
  Co<void> Shutdown();

  PluginRegistry* plugins() { return plugins_.get(); }
  ProcessService* processes() { return processes_.get(); }
  WorkerPool* loaders() { return &loaders_; }
  StatsDemand* stats_demand() { return &stats_demand_; }
  PortPool* ports() { return ports_.get(); }
  NodeServices* services() { return services_.get(); }  // null without NodeOptions::services
  // Sets which services the node registers, and whose checks it runs, from the next start or update
  // of an allocation on. Must be called only with NodeOptions::services.
  void SetServicePolicy(const ServicePolicy& policy);
  const NodeChecks& checks() const { return *checks_; }
  NodeKeys* keys() { return keys_.get(); }
  HostVolumes* volumes() { return volumes_.get(); }
  DeviceManager* devices() { return devices_.get(); }
  // Looks again which networks plugins make, and which versions the plugins have. Returns whether
  // Attributes has changed.
  Co<bool> RefreshNetworks();
  // Ends RefreshNetworks, which may wait for a plugin.
  void GiveUpRefresh();

 private:
  Node(Loop* loop, NodeOptions options);
  Status Init();
  Result<std::string> PortAddress() const;
  LocalAllocEnv MakeAllocEnv();
  Status InitLedger(LocalAllocEnv* env);
  Status InitKept(LocalAllocEnv* env);
  Status InitNetworks();
  void GiveUpRemovals();
  void InitPorts(const std::string& address);
  std::string NetworkMistakes(const TaskGroup& group, const std::string& at) const;
  Status InitKeys();
  Status InitTemplates();
  void ExpectRestored();
  Status MeetsConstraints(const Job& job) const;
  std::shared_ptr<HostVolumes> MakeVolumes() const;
  static Co<void> Clear(Node* self, Context context);
  static Co<void> RemoveLeftovers(Node* self, std::vector<LedgerLeftovers> dead);
  void RefuseSecondRuns(AllocRunnerRequest* request) const;
  static Co<void> FinishDriver(Node* self, Context context, std::string driver);
  static Co<void> FinishRestore(Node* self, Context context, std::string driver);

  Loop* const loop_;
  const NodeOptions options_;
  const Machine machine_;
  const std::string id_;
  std::string name_;
  NodeInfo info_;  // the node's values for ${node.KEY}, ${attr.KEY} and ${meta.KEY}
  const std::shared_ptr<std::atomic<bool>> give_up_removals_ =
      std::make_shared<std::atomic<bool>>(false);
  WorkerPool workers_;
  WorkerPool removers_;
  WorkerPool loaders_;
  std::optional<DiskLimits> disks_;  // absent with inspect_only
  StatsDemand stats_demand_;
  std::unique_ptr<ProcessService> processes_;
  std::unique_ptr<PluginRegistry> plugins_;
  NodePluginHooks plugin_hooks_;
  std::unique_ptr<NodeKeys> keys_;  // null with inspect_only
  std::unique_ptr<NodeNetworks> networks_;
  std::shared_ptr<RunLedger> ledger_;              // null with inspect_only
  std::unique_ptr<LateReleases> late_;             // null with inspect_only
  std::unique_ptr<Leftovers> leftovers_;           // null with inspect_only
  std::unique_ptr<KeptLeftovers> kept_leftovers_;  // null when no state is kept
  std::unique_ptr<RestoreBarrier> restores_;
  std::unique_ptr<TaskPreparer> preparer_;
  std::unique_ptr<ArtifactFetcher> artifacts_;
  std::shared_ptr<HostVolumes> volumes_;
  std::unique_ptr<TaskUsers> users_;
  std::shared_ptr<DeviceManager> devices_;
  std::unique_ptr<NodeTemplates> templates_;  // null with inspect_only
  std::unique_ptr<NodeConsul> consul_;        // null without a Consul in the configuration
  std::unique_ptr<NodeServices> services_;
  std::unique_ptr<NodeChecks> checks_;
  std::unique_ptr<AllocRunnerFactory> runners_;
  std::unique_ptr<PortPool> ports_;
  Context life_;
  Event cleared_;  // set when all unknown runs (runs without a record) have ended or are kept
  Gate starting_;  // waits for the work that Start has begun
  Gate removing_;  // waits for the removal of directories
};

}  // namespace drover
