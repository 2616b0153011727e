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
#include "host/plugin/call_table.h"
#include "host/plugin/plugin_log.h"
#include "host/plugin/plugin_pool.h"
#include "host/plugin/stream_table.h"
#include "host/plugin/timer_table.h"
#include "host/process/process_service.h"

namespace drover {

class ExecBridge;

// The host as one driver instance sees it: the function table that it is given, and behind it the
// tables of its calls, streams and timers, its threads and its runs. The table that the driver
// holds is never freed, since a driver may call at any time; this object can be gone then, and
// nothing happens. The last to hold this object may be a thread of the driver that is inside of a
// call, and the loop may be gone by then: after Close no member's destructor may need it.
class PluginHost : public std::enable_shared_from_this<PluginHost> {
 public:
  struct Parts {
    std::string plugin;
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // null: the driver gets no such service
    PluginLogSink log;
    DriverLimits limits;
    double core_mhz = 0;
    bool bind_runs = false;              // processes end with this agent
    std::function<void()> pool_changed;  // control thread
  };
  static std::shared_ptr<PluginHost> Make(Parts parts);
  explicit PluginHost(Parts parts);
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // The host as create() gets it. [any thread]
  const drover_host* face() const;
  // The host behind a table; null when it is gone. [any thread]
  static std::shared_ptr<PluginHost> From(const drover_host* face);

  // A line about the plugin, or of it. [any thread]
  void Log(PluginLogLevel level, const std::string& message, const RunId* run = nullptr) const;

  // A run of this driver, from start or recover until destroy. Control thread.
  struct Run {
    std::shared_ptr<const TaskConfig> config;
    int asked = 0;  // how often the service was asked for a process
    int freed = 0;  // what ASKED was when the driver last released the run
    bool has_processes() const { return asked != freed; }
    // Its recover was asked for, and it was not released since: something that an earlier instance
    // has left may be there, whether this one has heard of it or not.
    bool inherited = false;
    WallTime ended_at = 0;  // of its last process
    // The last usage sample, for shares of the processor.
    TimePoint sampled;
    Duration user_time{0};
    Duration system_time{0};
  };
  std::map<RunId, Run>& runs() { return runs_; }
  Run* FindRun(const RunId& run);

  // From now on nothing is asked of the instance but its shutdown, and what is needed for that:
  // what was posted before has run when the pool is drained. Control thread.
  void BeginShutdown() { shutting_down_ = true; }
  bool is_shutting_down() const { return shutting_down_; }

  // Ends the operations of the services, each with E_CANCELLED, and returns when their functions
  // have been given to the pool. Further operations are refused. Control thread.
  Co<void> CloseServices();
  // Joins the pool, ends the calls that are left, also those that hold their threads, and lets
  // nothing more through to the control thread.
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
  Gate& services() { return services_; }
  const Context& services_context() const { return services_context_; }
  std::map<void*, ExecBridge*>& exec_sessions() { return exec_sessions_; }  // control thread

 private:
  struct Face;

  Parts parts_;
  Face* face_ = nullptr;  // never freed
  std::shared_ptr<LoopPort> port_;
  PluginPool pool_;
  CallTable calls_;
  std::shared_ptr<StreamTable> streams_;
  std::shared_ptr<TimerTable> timers_;
  std::map<RunId, Run> runs_;
  std::map<void*, ExecBridge*> exec_sessions_;
  Context services_context_;
  Gate services_;
  bool shutting_down_ = false;
};

}  // namespace drover
