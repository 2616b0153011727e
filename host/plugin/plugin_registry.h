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
#include "host/driver/driver.h"
#include "host/driver/driver_limits.h"
#include "host/plugin/config_checker.h"
#include "host/plugin/plugin_config.h"
#include "host/plugin/plugin_log.h"
#include "host/process/process_service.h"

namespace drover {

class PluginProber;

struct PluginRegistryOptions {
  std::vector<PluginConfig> plugins;
  // Where the files of plugins without `file` are searched, in this order.
  std::vector<std::string> directories;
  // Lines of drivers and about them. [any thread] Empty: the program's default logger.
  PluginLogSink log;
  // Makes the checker of a schema. Empty: that of host/schema.
  ConfigCheckerFactory checker;
  // Not owned. Null: the prober of this process.
  PluginProber* prober = nullptr;
  // How long a driver without a first fingerprint counts as being loaded.
  Duration first_fingerprint = 2s;
  // MHz of one core, for the ticks in usage samples; 0: samples have no ticks.
  double core_mhz = 0;
  DriverLimits limits;
  // Processes end with this agent, however it ends, instead of living on: for foreground runs.
  bool bind_runs = false;
};

// The result for one configured plugin.
struct PluginReport {
  std::string name;
  std::string file;    // empty when none was found
  std::string sha256;  // empty when it could not be read
  bool enabled = true;
  bool loaded = false;
  std::string message;             // why it is not loaded: one sentence; else empty
  std::optional<PluginInfo> info;  // when it could be probed
  Isolation isolation = Isolation::kInProcess;
};

class LoadedDriver;
class SupervisedDriver;
struct ContainerStatus;
struct PluginCode;

// All drivers of the agent. Control thread only. A plugin that cannot be used is a driver that is
// unhealthy and says why; it never keeps the others or the agent from going on.
class PluginRegistry : public DriverRegistry {
 public:
  // PROCESSES may be null: drivers that need processes are then refused. The three outlive this.
  PluginRegistry(Loop* loop, WorkerPool* workers, ProcessService* processes,
                 PluginRegistryOptions options);
  ~PluginRegistry() override;

  // Begins to check, probe, load and create every enabled plugin, each by itself. Until one is
  // loaded its driver says so, and calls of it wait. Once.
  void BeginLoading(Context context);
  // Returns when the plugin is loaded or has failed, and its driver has reported its first
  // fingerprint or has taken too long for it. At once for one that nobody loads.
  Co<Status> AwaitLoaded(Context context, std::string driver);
  bool IsLoading(const std::string& driver) const;
  // Both, for all of them.
  Co<std::vector<PluginReport>> LoadAll(Context context);

  // Reports to a driver which of its runs the agent still knows; after its last Recover, before its
  // first Start. A driver that is not loaded hears it later.
  Co<void> RestoreComplete(Context context, std::string driver, std::vector<RunId> runs);

  // Puts the plugin as WANTED configures it, which is of one of the plugins here, in the place of
  // the one that runs, while its tasks run on: the file as it is now is checked, probed and loaded,
  // and its new instance recovers every task. After an error the old one is in charge as before;
  // what was wrong is also in the log. One at a time of each plugin.
  Co<Result<PluginReport>> Reload(Context context, PluginConfig wanted);
  // The same where WANTED or the content of its file is another than what runs, or nothing runs;
  // false: nothing has changed. If only the configuration differs, the running instance gets it.
  Co<Result<bool>> Refresh(Context context, PluginConfig wanted);
  // The context of loading and reloading.
  const Context& context() const { return life_; }
  // Gives up all loads and reloads that are under way, and every later reload. Call it before an
  // agent ends.
  void GiveUpLoading() { life_.Cancel("the agent is shutting down"); }
  // As they are now.
  std::vector<PluginReport> reports() const;
  std::optional<PluginReport> Report(const std::string& name) const;
  // The block of an enabled plugin that runs or was to run.
  const PluginConfig* FindConfig(const std::string& name) const;

  // Ends every driver: calls are given up, streams joined, instances shut down, threads ended.
  // Tasks go on running. Must be called before this is destroyed.
  Co<void> Shutdown();

  // Disabled plugins are not found.
  Driver* Find(const std::string& name) override;
  // The driver's code as it is called now, in whatever process; null when it cannot be.
  LoadedDriver* FindLoaded(const std::string& name);
  // The driver of a plugin in a process of its own; null for others.
  SupervisedDriver* FindContained(const std::string& name);
  // The process of a plugin that has its own; nothing for other plugins.
  std::optional<ContainerStatus> Inspect(const std::string& name);
  // Enabled drivers by name, loaded or not.
  std::vector<Driver*> drivers();

 private:
  struct Slot;
  // A file that may be loaded.
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
