// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drover/drover_capabilities.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "drover/drover_prepare.h"
#include "drover/drover_task_hooks.h"
#include "host/base/gate.h"
#include "host/base/listener_list.h"
#include "host/container/container.h"
#include "host/driver/driver.h"
#include "host/plugin/call_table.h"
#include "host/plugin/plugin_config.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/redactor.h"
#include "host/plugin/stream_table.h"
#include "host/schema/config_checker.h"

namespace drover {

class LoadedDevices;

// A driver whose code comes from a plugin. Each method becomes a call over the C ABI, on a thread
// of the plugin's own pool. A plugin that hangs never blocks the control thread.
//
// The health comes from the driver's fingerprint stream. While a function holds its thread for too
// long, or a call is past its own deadline, the driver is unhealthy. If the caller's context ends
// before the deadline, the call is given up and the health does not change.
class LoadedDriver : public Driver {
 public:
  struct Parts {
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // may be null
    PluginInfo info;
    std::shared_ptr<DriverContainer> container;
    std::shared_ptr<const ConfigChecker> task_checker;  // null: any JSON is accepted
    PluginLogSink log;
    DriverLimits limits;
    double core_mhz = 0;
    bool bind_runs = false;  // the shims end the processes when this agent ends
    PluginNode node;         // of all plugins
    // Called when a function does not return in time or a call is past its deadline. May be called
    // many times for the same function or call.
    std::function<void(const std::string& what)> stuck;
    // Called with the events of all runs.
    std::function<void(const DriverEvent&)> hear_events;
    // Called with the news of all runs.
    std::function<void(const TaskNews&)> hear_news;
  };
  explicit LoadedDriver(Parts parts);
  ~LoadedDriver() override;

  // Makes the instance and subscribes to its fingerprints and events. Call it once, before all
  // other methods. CONFIG_JSON must have been checked.
  Co<Status> Create(Context context, std::string config_json);
  // Passes on a new configuration, which must have been checked.
  Co<Status> Configure(Context context, std::string config_json);
  // Reports to the driver the runs that the host knows.
  Co<Status> RestoreComplete(Context context, std::vector<RunId> runs);
  // Ends everything except the tasks. Must be called before destruction, also when Create has
  // failed.
  Co<void> Shutdown();
  // Set when the driver has reported its health, or will never report it.
  Event* first_fingerprint() { return &first_fingerprint_; }

  const DriverInfo& info() const override { return driver_info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override { return limits().*which; }
  Subscription OnFingerprint(std::function<void()> changed) override;
  // Never calls the listener, since Parts::hear_events receives all events.
  Subscription OnEvents(RunId, std::function<void(const DriverEvent&)>) override { return {}; }
  // Never calls the listener, since an instance does not replace a handle that it has returned.
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
  // If the driver does not pause its tasks itself, the host pauses the processes that it started
  // for the run.
  Co<Status> Pause(Context context, RunId run, bool paused) override;
  Co<Status> Destroy(Context context, RunId run, bool force) override;
  Co<Result<TaskStatus>> Inspect(Context context, RunId run) override;
  Co<Status> Stats(Context context, RunId run, StatsRequest request,
                   std::function<void(TaskUsage)> sink) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                    ExecRequest request) override;
  // Calls the task hooks of the plugin. Answers for the plugin at a stage that it does not offer.
  Co<Result<PluginHookAnswer>> CallHook(Context context,
                                        std::shared_ptr<const PluginHookRequest> request);

  // The four functions of drover_prepare.h. Without them, no task needs anything, and nothing is
  // prepared.
  bool prepares() const { return prepare_ != nullptr; }
  // Returns what the task needs. An empty key means that it needs nothing.
  Co<Result<std::string>> PrepareKey(Context context, std::shared_ptr<const TaskConfig> config);
  // Prepares KEY. HEAR gets the reports of progress. Returns the size, or 0 if it is unknown.
  Co<Result<std::uint64_t>> PrepareByKey(Context context, std::shared_ptr<const TaskConfig> config,
                                         std::string key, HearProgress hear);
  Co<Result<std::vector<PreparedItem>>> ListPrepared(Context context);
  Co<Status> RemovePrepared(Context context, std::string key);

  // True if create has made an instance.
  bool has_instance() const { return instance_ != nullptr; }
  const Status& shutdown_status() const { return shutdown_status_; }
  PluginHost* host() { return host_.get(); }
  // Null if the instance offers no devices.
  LoadedDevices* devices() { return devices_.get(); }

 private:
  friend class LoadedDevices;
  // DriverAccess of the conformance kit makes calls that no runner makes.
  friend class DriverAccess;
  using Verb = std::function<std::int32_t(const drover_call* call, drover_error* error)>;
  using Plain = std::function<std::int32_t(drover_error* error)>;
  // Serializes the start, recover, stop and destroy calls of one run.
  struct Turn {
    explicit Turn(Loop* loop) : freed(loop) {}
    bool busy = false;
    int users = 0;
    Event freed;
  };
  struct Overdue {
    std::string what;
    RunId run;
    Subscription late;  // its function runs if the call completes late
  };

  // Defined in loaded_calls.cc:
  Error Unavailable(const std::string& why) const;
  Status Usable() const;
  std::shared_ptr<PendingCall> NewCall(const char* verb, RunId run, CallDecoder decode) const;
  // Runs VERB on the pool and waits for its completion, at most LIMIT. If LIMIT is 0, only the
  // context limits the wait.
  Co<Result<CallValue>> Call(Context context, std::shared_ptr<PendingCall> call, Duration limit,
                             bool control, Verb verb);
  // Like Call, but first waits until no other start, recover, stop or destroy of the run is active.
  Co<Result<CallValue>> CallInTurn(Context context, std::shared_ptr<PendingCall> call,
                                   Duration limit, Verb verb);
  // Runs the part of a call that must run on the pool: Enter, VERB and Leave. Used for every verb
  // and for exec. Does not call VERB if the call was given up before. If the call is cancelled
  // while VERB runs and TOLD is not null, the instance TOLD gets call_cancelled again. [any thread]
  static std::int32_t RunVerb(PluginHost* host, const DriverContainer& container,
                              drover_instance* told, const PendingCall& call, const Verb& verb,
                              drover_error* error);
  // Runs FUNCTION, which returns only a status, on the pool. ID is the id of a call or a stream,
  // for the trace. IS_CALL must be true if FUNCTION calls RunVerb, which writes the trace itself.
  Co<Status> Invoke(Context context, const char* what, RunId run, std::uint64_t id, Duration hold,
                    bool control, Plain function, bool is_call = false);
  void GiveUp(const PendingCall& call);
  Co<void> HoldTurn(std::shared_ptr<PendingCall> call, std::shared_ptr<Turn> turn);
  void LeaveTurn(const RunId& run, Turn* turn);
  void NoteOverdue(const std::shared_ptr<PendingCall>& call, Duration limit);
  void ForgetRun(const RunId& run);
  // True if the kernel has killed something of a task with RESULT for lack of memory.
  bool RanOutOfMemory(const RunId& run, const PluginHost::Run& known,
                      const ExitResult& result) const;
  void UpdateHealth();
  Co<void> AwaitLateCreate();
  void FollowNews(const drover_news_source* source);
  Co<Status> AskCapabilities(Context context, const drover_capable* capable);
  // Returns VALUE. If it is an error, its text has no secrets of tasks.
  Result<CallValue> Redacted(Result<CallValue> value) const;

  // Defined in prepare/loaded_prepare.cc:
  Status MayPrepare() const;
  Co<void> AwaitLatePrepare(std::shared_ptr<PendingCall> call, std::shared_ptr<const void> secrets);

  // Defined in loaded_streams.cc:
  using Subscribe = std::function<std::int32_t(std::uint64_t id, drover_error* error)>;
  // Opens a stream by calling SUBSCRIBE on the pool, and returns when the stream has ended. Sets
  // RETURNED when SUBSCRIBE has returned, which may be after this coroutine has ended.
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

  // Shared with the jobs on the pool. A job that never returns outlives this object.
  const std::shared_ptr<DriverContainer> container_;
  const PluginInfo info_;   // the library's information
  DriverInfo driver_info_;  // the instance's information, once the instance exists
  const std::shared_ptr<const ConfigChecker> task_checker_;
  const std::shared_ptr<Redactor> redactor_ = std::make_shared<Redactor>();
  const std::shared_ptr<PluginHost> host_;
  const std::function<void(const std::string&)> stuck_;
  const std::function<void(const DriverEvent&)> hear_events_;
  const std::function<void(const TaskNews&)> hear_news_;

  drover_instance* instance_ = nullptr;
  std::shared_ptr<PendingCall> late_create_;  // the call of a create that was given up
  const drover_task_stats* stats_ = nullptr;
  const drover_task_exec* exec_ = nullptr;
  std::unique_ptr<LoadedDevices> devices_;
  const drover_task_hooks* hooks_ = nullptr;
  const drover_task_pause* pause_ = nullptr;
  StringMap capability_attributes_;  // shown with those of the fingerprint
  const drover_task_prepare* prepare_ = nullptr;
  std::size_t late_prepares_ = 0;  // calls of prepare that were given up and have not ended
  bool ending_ = false;
  Status shutdown_status_;

  Fingerprint told_;         // the last fingerprint that the driver reported
  Fingerprint fingerprint_;  // equals told_, unless the driver hangs or has ended
  Event first_fingerprint_;
  ListenerList<> fingerprint_listeners_;
  std::map<std::uint64_t, Overdue> overdue_;
  std::map<RunId, std::shared_ptr<Turn>> turns_;

  Context life_;
  Gate gate_;
};

// Posts a job to the pool that calls call_cancelled of the instance SELF for the call ID. Does
// nothing if the call has not begun, since a cancelled call never begins. Does nothing if the
// instance is being shut down.
void PostCancelled(const std::shared_ptr<PluginHost>& host,
                   std::shared_ptr<DriverContainer> container, drover_instance* self,
                   std::uint64_t id);

}  // namespace drover
