// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/ids.h"
#include "host/base/loop.h"
#include "host/base/worker_pool.h"
#include "host/device/device_source.h"
#include "host/driver/driver.h"
#include "host/driver/driver_limits.h"
#include "host/driver/plugin_hooks.h"
#include "host/library/plugin_node.h"
#include "host/plugin/plugin_config.h"
#include "host/plugin/plugin_log.h"
#include "host/process/process_service.h"
#include "host/schema/config_checker.h"

namespace drover {

class PluginProber;

struct PluginRegistryOptions {
  std::vector<PluginConfig> plugins;
  // The directories that are searched, one after the other, for plugins whose block has no `file`.
  std::vector<std::string> directories;
  // Receives the messages of drivers and about drivers, on any thread, and a moment after the
  // registry's end too. If it is empty, the program's default logger receives them.
  PluginLogSink log;
  // Makes the checker for a schema. If this function is empty, host/schema makes the checkers.
  ConfigCheckerFactory checker;
  // Not owned. If it is null, the prober of this process is used.
  PluginProber* prober = nullptr;
  // The maximum time that a load waits for the driver's first fingerprint. After this time the load
  // is complete even without a fingerprint.
  Duration first_fingerprint = 2s;
  // The frequency of one core in MHz, for the ticks in usage samples. If it is 0, samples have no
  // ticks.
  double core_mhz = 0;
  DriverLimits limits;
  // If true, the processes of tasks end with this agent, however it ends. For foreground runs.
  bool bind_runs = false;
  // The node as its plugins see it. If it has no directory, they do not get the service of the
  // node.
  PluginNode node;
};

// The state of one configured plugin.
struct PluginReport {
  std::string name;
  std::string file;    // empty if no file was found
  std::string sha256;  // empty if the file could not be read
  bool enabled = true;
  bool loaded = false;
  // Why the plugin is not loaded, as one sentence. Empty if it is loaded.
  std::string message;
  std::optional<PluginInfo> info;  // set if the plugin could be probed
  Isolation isolation = Isolation::kInProcess;
};

class LoadedDriver;
class SupervisedDriver;
struct ContainerStatus;
struct PluginCode;

// All drivers of the agent. Control thread only. A plugin that cannot be used is an unhealthy
// driver, whose fingerprint contains the reason. Such a plugin never stops the agent or the other
// plugins.
class PluginRegistry : public DriverRegistry {
 public:
  // If PROCESSES is null, drivers that need processes are refused. The first three arguments must
  // outlive this object.
  PluginRegistry(Loop* loop, WorkerPool* workers, ProcessService* processes,
                 PluginRegistryOptions options);
  ~PluginRegistry() override;

  // Begins to check, probe, load and create all enabled plugins, independently of each other. While
  // a plugin is being loaded, its driver's fingerprint reports that it is being loaded, and calls
  // of the driver wait. Call it once.
  void BeginLoading(Context context);
  // Returns when the load has failed, or when the plugin is loaded and its driver has reported a
  // fingerprint. Waits for the fingerprint only for a limited time. Returns immediately if the
  // plugin is not being loaded.
  Co<Status> AwaitLoaded(Context context, std::string driver);
  bool IsLoading(const std::string& driver) const;
  // Calls BeginLoading and waits until all plugins are loaded or have failed.
  Co<std::vector<PluginReport>> LoadAll(Context context);

  // Reports to a driver which of its runs the agent still knows. Call it after the driver's last
  // Recover and before its first Start. A driver that is not loaded yet gets the report later.
  Co<void> RestoreComplete(Context context, std::string driver, std::vector<RunId> runs);

  // Replaces the running plugin by the one that WANTED configures, while the tasks run on. WANTED
  // must name a plugin of this registry. The file is checked, probed and loaded in its present
  // form, and its new instance recovers every task. After an error the old instance stays in
  // charge, and the error is also in the log. A second reload of the same plugin is refused while
  // the first reload runs.
  Co<Result<PluginReport>> Reload(Context context, PluginConfig wanted);
  // Reloads the plugin only if it is not running, or if WANTED or the content of its file differs
  // from the running plugin. If only the configuration differs, the running instance gets the new
  // configuration. Returns false if nothing has changed.
  Co<Result<bool>> Refresh(Context context, PluginConfig wanted);
  // The context of all loads and reloads.
  const Context& context() const { return life_; }
  // Gives up all loads and reloads that are active, and refuses every later reload. Call it before
  // the agent ends.
  void GiveUpLoading() { life_.Cancel("the agent is shutting down"); }
  // The present state of the plugins.
  std::vector<PluginReport> reports() const;
  std::optional<PluginReport> Report(const std::string& name) const;
  // The configuration of an enabled plugin, loaded or not. Null if there is no such plugin.
  const PluginConfig* FindConfig(const std::string& name) const;

  // Shuts all drivers down: gives up their calls, joins their streams and threads, and shuts down
  // their instances. The tasks run on. Must be called before destruction.
  Co<void> Shutdown();

  // Does not find disabled plugins.
  Driver* Find(const std::string& name) override;
  // Returns the hooks of a plugin, loaded or not. Null if the plugin is disabled or unknown.
  HookPlugin* FindHooks(const std::string& name);
  // Returns the plugin's driver that receives calls now, whether the driver runs in this process or
  // in its own process. Returns null if no driver can receive calls.
  LoadedDriver* FindLoaded(const std::string& name);
  // Returns the driver of a plugin that runs in a process of its own. Null for all other plugins.
  SupervisedDriver* FindContained(const std::string& name);
  // Returns the state of the process of a plugin that has a process of its own. Nothing for all
  // other plugins.
  std::optional<ContainerStatus> Inspect(const std::string& name);
  // All enabled drivers by name, loaded or not.
  std::vector<Driver*> drivers();
  // Lets all drivers remove what they have prepared and no task has needed for a while. Returns at
  // once; the drivers take their time.
  void CollectPrepared();
  // The devices of all enabled plugins, loaded or not. Most plugins offer none.
  std::vector<DeviceSource*> devices();

 private:
  struct Slot;
  // A plugin file that has passed all checks and may be loaded.
  struct Checked;
  Co<void> LoadOne(Context context, Slot* slot);
  Co<Status> Bring(Context context, Slot* slot);
  Co<Result<Checked>> Check(Context context, PluginConfig config, PluginReport* report);
  Co<Result<PluginCode>> MakeCode(Context context, Checked checked);
  Co<Status> Exchange(Context context, Slot* slot, PluginConfig wanted, bool always, bool* changed);
  Co<Status> ReloadOne(Context context, Slot* slot, PluginConfig wanted, bool always,
                       bool* changed);
  Slot* FindSlot(const std::string& name) const;

  Loop* loop_;
  WorkerPool* workers_;
  ProcessService* processes_;
  PluginRegistryOptions options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  int reloading_ = 0;
  Event no_reload_;
  Gate loads_;
  Context life_;
  bool shut_down_ = false;
};

}  // namespace drover
