// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/gate.h"
#include "host/base/listener_list.h"
#include "host/container/container.h"
#include "host/driver/driver.h"
#include "host/plugin/call_table.h"
#include "host/plugin/config_checker.h"
#include "host/plugin/plugin_config.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/stream_table.h"

namespace drover {

// A driver whose code is a plugin's: each method becomes a call over the C ABI, on a thread of the
// plugin's own pool. Nothing that the plugin does or fails to do keeps the control thread.
//
// Its health comes from its fingerprint stream, unless a function holds its thread or a call is
// past its own deadline: then it is unhealthy until that has come back. A caller's context that
// ends first only gives the call up; it says nothing about the driver.
class LoadedDriver : public Driver {
 public:
  struct Parts {
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // may be null
    PluginInfo info;
    std::shared_ptr<DriverContainer> container;
    std::shared_ptr<const ConfigChecker> task_checker;  // null: any JSON is good
    PluginLogSink log;
    DriverLimits limits;
    double core_mhz = 0;
    bool bind_runs = false;  // processes end with this agent
    // Hears that a function does not return or a call is past its deadline, perhaps many times.
    std::function<void(const std::string& what)> stuck;
    // Hears the events of all runs.
    std::function<void(const DriverEvent&)> hear_events;
  };
  explicit LoadedDriver(Parts parts);
  ~LoadedDriver() override;

  // Makes the instance and subscribes to its fingerprints and events. Once, first. CONFIG_JSON has
  // been checked.
  Co<Status> Create(Context context, std::string config_json);
  // A new configuration, already checked.
  Co<Status> Configure(Context context, std::string config_json);
  // Reports to the driver which runs the host knows.
  Co<Status> RestoreComplete(Context context, std::vector<RunId> runs);
  // Ends everything but the tasks. Needed before destruction, also when Create has failed.
  Co<void> Shutdown();
  // Set when the driver has reported its health, or will not.
  Event* first_fingerprint() { return &first_fingerprint_; }

  const DriverInfo& info() const override { return driver_info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override { return limits().*which; }
  Subscription OnFingerprint(std::function<void()> changed) override;
  // Never: Parts::hear_events hears all of them.
  Subscription OnEvents(RunId, std::function<void(const DriverEvent&)>) override { return {}; }
  // Never: an instance keeps the handles that it has returned.
  Subscription OnHandle(RunId, std::function<void(const TaskHandle&)>) override { return {}; }
  Result<std::string> NormalizeConfigAt(const std::string& place, const std::string& config_json,
                                        bool final) override;
  Co<Result<StartedTask>> Start(Context context, std::shared_ptr<const TaskConfig> config) override;
  Co<Result<RecoveredTask>> Recover(Context context, std::shared_ptr<const TaskConfig> config,
                                    TaskHandle handle) override;
  Co<Result<ExitResult>> Wait(Context context, RunId run) override;
  Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) override;
  Co<Status> ForceKill(Context context, RunId run) override;
  Co<Status> Signal(Context context, RunId run, std::string signal) override;
  Co<Status> Destroy(Context context, RunId run, bool force) override;
  Co<Result<TaskStatus>> Inspect(Context context, RunId run) override;
  Co<Status> Stats(Context context, RunId run, StatsRequest request,
                   std::function<void(TaskUsage)> sink) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                    ExecRequest request) override;

  // Whether create has made an instance.
  bool has_instance() const { return instance_ != nullptr; }
  const Status& shutdown_status() const { return shutdown_status_; }
  PluginHost* host() { return host_.get(); }

 private:
  friend class DriverAccess;  // of the conformance kit, which makes calls that no runner makes
  using Verb = std::function<std::int32_t(const drover_call* call, drover_error* error)>;
  using Plain = std::function<std::int32_t(drover_error* error)>;
  // The order of start, recover, stop and destroy of one run.
  struct Turn {
    explicit Turn(Loop* loop) : freed(loop) {}
    bool busy = false;
    int users = 0;
    Event freed;
  };
  struct Overdue {
    std::string what;
    RunId run;
    Subscription late;  // its completion after all
  };

  // loaded_calls.cc
  Error Unavailable(const std::string& why) const;
  Status Usable() const;
  std::shared_ptr<PendingCall> NewCall(const char* verb, RunId run, CallDecoder decode) const;
  // Runs VERB on the pool and waits for its completion, at most LIMIT (0: no limit of its own).
  Co<Result<CallValue>> Call(Context context, std::shared_ptr<PendingCall> call, Duration limit,
                             bool control, Verb verb);
  // The same in the run's turn.
  Co<Result<CallValue>> CallInTurn(Context context, std::shared_ptr<PendingCall> call,
                                   Duration limit, Verb verb);
  // The part of a call of VERB, also of exec, that runs on the pool: entered, unless it was given
  // up before, and left behind. TOLD, if any, hears again of a cancellation that came meanwhile.
  // [any thread]
  static std::int32_t RunVerb(PluginHost* host, const DriverContainer& container,
                              drover_instance* told, const PendingCall& call, const Verb& verb,
                              drover_error* error);
  // Runs a function that only returns a status; ID, of a call or a stream, is for the trace.
  // IS_CALL: it is a RunVerb, which is traced by itself.
  Co<Status> Invoke(Context context, const char* what, RunId run, std::uint64_t id, Duration hold,
                    bool control, Plain function, bool is_call = false);
  void GiveUp(const PendingCall& call);
  Co<void> HoldTurn(std::shared_ptr<PendingCall> call, std::shared_ptr<Turn> turn);
  void LeaveTurn(const RunId& run, Turn* turn);
  void NoteOverdue(const std::shared_ptr<PendingCall>& call, Duration limit);
  void ForgetRun(const RunId& run);
  void UpdateHealth();
  Co<void> AwaitLateCreate();

  // loaded_streams.cc
  using Subscribe = std::function<std::int32_t(std::uint64_t id, drover_error* error)>;
  // RETURNED is set when SUBSCRIBE has returned, which may be after this.
  Co<Status> RunStream(Context context, const char* what, RunId run, std::int32_t type,
                       bool control, Subscribe subscribe, std::function<void(StreamMessage)> hear,
                       std::shared_ptr<Event> returned);
  Co<void> EndStream(std::uint64_t id, std::shared_ptr<Event> subscribed);
  Co<void> AwaitFingerprint();
  Co<void> KeepStream(const char* what, std::int32_t type, Subscribe subscribe,
                      std::function<void(StreamMessage)> hear);

  const drover_driver* table() const { return container_->table(); }
  Loop* loop() const { return host_->loop(); }
  const DriverLimits& limits() const { return host_->limits(); }

  // Shared with the jobs on the pool, which may outlive this object when they never return.
  const std::shared_ptr<DriverContainer> container_;
  const PluginInfo info_;   // of the library
  DriverInfo driver_info_;  // of the instance, once it is there
  const std::shared_ptr<const ConfigChecker> task_checker_;
  const std::shared_ptr<PluginHost> host_;
  const std::function<void(const std::string&)> stuck_;
  const std::function<void(const DriverEvent&)> hear_events_;

  drover_instance* instance_ = nullptr;
  std::shared_ptr<PendingCall> late_create_;  // given up
  const drover_task_stats* stats_ = nullptr;
  const drover_task_exec* exec_ = nullptr;
  bool ending_ = false;
  Status shutdown_status_;

  Fingerprint told_;         // by the driver
  Fingerprint fingerprint_;  // as it counts
  Event first_fingerprint_;
  ListenerList<> fingerprint_listeners_;
  std::map<std::uint64_t, Overdue> overdue_;
  std::map<RunId, std::shared_ptr<Turn>> turns_;

  Context life_;
  Gate gate_;
};

// Tells the instance that nobody wants the answer to the call ID any more. Not of one that was not
// begun, which it never will be, nor one that is about to be, or has been, shut down.
void PostCancelled(const std::shared_ptr<PluginHost>& host,
                   std::shared_ptr<DriverContainer> container, drover_instance* self,
                   std::uint64_t id);

}  // namespace drover
