// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/ids.h"
#include "host/base/loop.h"
#include "host/base/worker_pool.h"
#include "host/plugin/config_checker.h"
#include "host/plugin/driver.h"
#include "host/plugin/plugin_config.h"
#include "host/plugin/plugin_log.h"
#include "host/plugin/plugin_options.h"
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
  // How long LoadAll waits for the first fingerprint of each driver.
  Duration first_fingerprint = 2s;
  // MHz of one core, for the ticks in usage samples; 0: they are not told.
  double core_mhz = 0;
  DriverLimits limits;
  // Processes end with this agent, however it ends, instead of living on: for foreground runs.
  bool bind_runs = false;
};

// What became of one configured plugin.
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

class ContainedDriver;
class LoadedDriver;
struct ContainerStatus;

// All drivers of the agent. Control thread only. A plugin that cannot be used is a driver that is
// unhealthy and says why; it never keeps the others or the agent from going on.
class PluginRegistry : public DriverRegistry {
 public:
  // PROCESSES may be null: drivers that need processes are then refused. The three outlive this.
  PluginRegistry(Loop* loop, WorkerPool* workers, ProcessService* processes,
                 PluginRegistryOptions options);
  ~PluginRegistry() override;

  // Checks, probes, loads and creates every enabled plugin, all side by side, and waits a short
  // time for their first fingerprints. Once.
  Co<std::vector<PluginReport>> LoadAll(Context context);

  // Tells a driver the runs that the agent still knows of it; after its last Recover, before its
  // first Start. One that is not loaded need not be told.
  Co<void> RestoreComplete(Context context, std::string driver, std::vector<RunId> runs);

  // Ends every driver: calls are given up, streams joined, instances shut down, threads ended.
  // Tasks go on running. Must be called before this is destroyed.
  Co<void> Shutdown();

  // Disabled plugins are not found.
  Driver* Find(const std::string& name) override;
  // The driver's code as it is called now, in whatever process; null when it cannot be.
  LoadedDriver* FindLoaded(const std::string& name);
  // Of a plugin in a process of its own; nothing for others.
  std::optional<ContainerStatus> Inspect(const std::string& name);
  // Enabled drivers by name, loaded or not.
  std::vector<Driver*> drivers();

 private:
  struct Slot;
  Co<void> LoadOne(Context context, const PluginConfig* config, Slot* slot);
  Co<Status> Bring(Context context, const PluginConfig* config, Slot* slot);
  Co<void> ShutdownOne(Slot* slot);

  Loop* loop_;
  WorkerPool* workers_;
  ProcessService* processes_;
  PluginRegistryOptions options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  bool shut_down_ = false;
};

}  // namespace drover
