// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "drover/drover.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/base/loop_port.h"
#include "host/driver/driver.h"
#include "host/driver/driver_limits.h"
#include "host/library/plugin_node.h"
#include "host/plugin/call_table.h"
#include "host/plugin/host_command.h"
#include "host/plugin/named/named_calls.h"
#include "host/plugin/plugin_log.h"
#include "host/plugin/plugin_pool.h"
#include "host/plugin/progress/progress_table.h"
#include "host/plugin/stream_table.h"
#include "host/plugin/timer_table.h"
#include "host/process/process_service.h"

namespace drover {

class ExecBridge;

// The host as one driver instance sees it: the function table that the driver gets, with its
// calls, streams, timers, threads and runs. The table is never freed, because a driver may call at
// any time. When this object no longer exists, such a call has no effect.
//
// A driver's thread that is inside a call may release the last reference to this object, even after
// the loop has been destroyed. So after Close no member's destructor may use the loop.
class PluginHost : public std::enable_shared_from_this<PluginHost> {
 public:
  struct Parts {
    std::string plugin;
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // null: the driver gets no process service
    PluginLogSink log;
    DriverLimits limits;
    double core_mhz = 0;
    bool bind_runs = false;              // the shims end the processes when this agent ends
    PluginNode node;                     // of this plugin; see NodeOfPlugin
    std::function<void()> pool_changed;  // called on the control thread
  };
  static std::shared_ptr<PluginHost> Make(Parts parts);
  explicit PluginHost(Parts parts);
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // The function table that create() gets. [any thread]
  const drover_host* face() const;
  // Returns the host that owns the table, or null if the host no longer exists. [any thread]
  static std::shared_ptr<PluginHost> From(const drover_host* face);

  // Returns the node of the host that owns the table. It exists as long as the table. [any thread]
  static const PluginNode& NodeOf(const drover_host* face);
  static const drover_node_info* NodeInfoOf(const drover_host* face);

  // Logs a message of the plugin or about the plugin. [any thread]
  void Log(PluginLogLevel level, const std::string& message, const RunId* run = nullptr) const;

  // A run of this driver. It exists from start or recover until destroy. Control thread.
  struct Run {
    std::shared_ptr<const TaskConfig> config;
    int asked = 0;  // number of requests for a process of this run
    int freed = 0;  // value of ASKED when the driver last released the run
    bool has_processes() const { return asked != freed; }
    // True if recover was called for the run, and the run was not released since. Then an earlier
    // instance may have left processes, even if this instance does not know the run.
    bool inherited = false;
    bool placed = false;    // the run has a place; see ProcessService::MakePlace
    WallTime ended_at = 0;  // when the last process of the run ended
    // The last usage sample, from which the next sample computes its shares of the processor.
    TimePoint sampled;
    Duration user_time{0};
    Duration system_time{0};
  };
  std::map<RunId, Run>& runs() { return runs_; }
  Run* FindRun(const RunId& run);

  // After BeginShutdown the host calls only the instance's shutdown and the functions that a
  // shutdown needs. Jobs that were posted before BeginShutdown still run until the pool is drained.
  // Control thread.
  void BeginShutdown() { shutting_down_ = true; }
  bool is_shutting_down() const { return shutting_down_; }

  // Ends all operations of the services with E_CANCELLED, and refuses further operations. Returns
  // when the driver's done functions for the ended operations have been posted to the pool. Control
  // thread.
  Co<void> CloseServices();
  // Joins the pool and ends all pending calls, even calls whose functions still hold threads. After
  // this, the driver's threads can post nothing to the control thread.
  Co<void> Close(TimePoint deadline);

  const std::string& plugin() const { return parts_.plugin; }
  Loop* loop() const { return parts_.loop; }
  ProcessService* processes() const { return parts_.processes; }
  const DriverLimits& limits() const { return parts_.limits; }
  double core_mhz() const { return parts_.core_mhz; }
  bool bind_runs() const { return parts_.bind_runs; }
  const std::shared_ptr<LoopPort>& port() const { return port_; }
  PluginPool& pool() { return pool_; }
  CallTable& calls() { return calls_; }
  StreamTable& streams() { return *streams_; }
  TimerTable& timers() { return *timers_; }
  ProgressTable& progress() { return *progress_; }
  Gate& services() { return services_; }
  const Context& services_context() const { return services_context_; }
  CommandTable& commands() { return commands_; }      // control thread
  NamedCalls& named_calls() { return named_calls_; }  // control thread
  // The active exec sessions by the driver's context pointer. Control thread.
  std::map<void*, ExecBridge*>& exec_sessions() { return exec_sessions_; }

 private:
  struct Face;

  Parts parts_;
  Face* face_ = nullptr;  // never freed
  std::shared_ptr<LoopPort> port_;
  PluginPool pool_;
  CallTable calls_;
  std::shared_ptr<StreamTable> streams_;
  std::shared_ptr<TimerTable> timers_;
  std::shared_ptr<ProgressTable> progress_;
  std::map<RunId, Run> runs_;
  std::map<void*, ExecBridge*> exec_sessions_;
  CommandTable commands_;
  NamedCalls named_calls_;
  Context services_context_;
  Gate services_;
  bool shutting_down_ = false;
};

}  // namespace drover
