// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/gate.h"
#include "host/base/keyed_listeners.h"
#include "host/base/listener_list.h"
#include "host/driver/driver.h"
#include "host/driver/plugin_hooks.h"
#include "host/plugin/call_count.h"
#include "host/plugin/devices/supervised_devices.h"
#include "host/plugin/plugin_instance.h"
#include "host/plugin/plugin_log.h"
#include "host/plugin/prepare/supervised_prepares.h"

namespace drover {

// The process of a plugin, as operators see it.
struct ContainerStatus {
  pid_t pid = 0;  // 0 if there is no process now
  int launches = 0;
  // How the last process ended, as one line. Empty if no process has ended.
  std::string last_end;
  // The last output of the living process, or of the process before it if the living one wrote
  // nothing.
  std::string output;
  // The details of the last process that ended, in more than one line.
  std::optional<ContainerDeath> death;
  WallTime died_at = 0;
};

// The driver that runners call. One object exists for the life of the agent, while the instances
// of the plugin replace each other. It stores what the driver has reported about each run, and
// gives the runs to the next instance when an instance ends.
//
//   kNone   --Load-->                 kServes
//   kServes --its process has ended-> kDown   --Exchange(kDeath)--> kServes
//   any     --Exchange(kReload)-->    kServes
//   any     --Shutdown-->             kNone
//
//   kNone    There is no instance. Calls fail with the stored reason for this.
//   kServes  Calls go to the instance in charge.
//   kDown    The process of the instance in charge has ended. BringBack makes the next instance,
//            after a longer pause each time. A start or recover that had begun is answered by the
//            next instance. Other calls that had begun fail. New calls wait for a limited time.
//
// A wait for the end of a task and a stream of statistics continue with the next instance.
//
// Load and Reload hold calls. Calls that are held wait in every state.
//
// Only Exchange replaces one instance by another. It ends the use of the old instance and has the
// next instance recover every run. Exchange reports to the next instance which runs the host knows,
// and has the next instance destroy the runs that were destroyed while no process could be asked.
// After that, Exchange puts the next instance in charge. At most one Exchange runs at a time: a
// reload ends the BringBack that is active, and begins a new BringBack if the reload fails. If an
// instance dies while calls are held, its BringBack begins when the calls are released.
//
// Control thread only.
class SupervisedDriver : public Driver, public HookPlugin {
 public:
  struct Parts {
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // may be null
    PluginLogSink log;
    DriverLimits limits;
  };
  SupervisedDriver(std::string name, Parts parts);
  ~SupervisedDriver() override;

  // Holds all calls until Load or SetReason, because an instance is expected. REASON describes the
  // state until Load or SetReason.
  void Expect(std::string reason);
  // Stores REASON, which says why there is no instance. Does nothing if there is an instance.
  void SetReason(std::string reason);
  // Makes the first instance. If the instance's process ends during Load, Load fails. Even so,
  // further processes are launched, and has_instance() is true.
  Co<Status> Load(Context context, PluginCode code);
  // Makes a new instance of CODE and replaces the instance in charge by it. New calls are held
  // during the replacement. Calls that have begun are awaited for a limited time and then given up.
  // The new instance recovers every run. If Reload fails, the old instance stays in charge. If
  // Reload succeeds, the old instance is shut down when the commands that run through it have
  // ended. The caller must not begin a second Reload before the first has ended.
  Co<Status> Reload(Context context, PluginCode code);
  // Passes a new configuration, already checked, to the instance in charge. Later instances of the
  // same code get it too.
  Co<Status> Configure(Context context, std::string config_json);
  // Reports the runs that the host still knows. Each instance gets the report once.
  Co<Status> RestoreComplete(Context context, std::vector<RunId> runs);
  // Returns when the instance in charge has reported its health, or will never report it.
  Co<void> AwaitFirstFingerprint(Context context);
  // Ends everything except the tasks. Must be called before destruction.
  Co<void> Shutdown();

  // Returns true if there is an instance, or if one is being brought back.
  bool has_instance() const { return state_ != State::kNone; }
  // Returns true if the instance has a process of its own.
  bool contained() const { return has_instance() && !code_->in_process(); }
  // The driver that is called now. Null if no driver can be called.
  LoadedDriver* current() { return Serves() ? instance_->driver() : nullptr; }
  ContainerStatus status() const;
  // The devices of the plugin, if it offers any.
  DeviceSource* devices() { return &devices_; }

  const DriverInfo& info() const override { return info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override;
  StartTurns* start_turns() override { return &start_turns_; }
  Subscription OnFingerprint(std::function<void()> changed) override;
  Subscription OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) override;
  Subscription OnHandle(RunId run, std::function<void(const TaskHandle&)> hear) override;
  Subscription OnNews(RunId run, std::function<void(const TaskNews&)> hear) override;
  Result<std::string> NormalizeConfigAt(const std::string& place, const std::string& config_json,
                                        bool final) override;
  bool Prepares() const override { return held_ || prepares_.in_use(); }
  Co<Status> PrepareTask(Context context, std::shared_ptr<const TaskConfig> config,
                         HearProgress hear) override {
    return prepares_.things()->Prepare(std::move(context), std::move(config), std::move(hear));
  }
  // Removes prepared things that no run has needed for the time of DriverLimits::prepared_age.
  // Returns at once.
  void CollectPrepared() {
    if (prepares_.in_use()) prepares_.things()->CollectSoon();
  }
  Co<Result<StartedTask>> Start(Context context, std::shared_ptr<const TaskConfig> config) override;
  Co<Result<RecoveredTask>> Recover(Context context, std::shared_ptr<const TaskConfig> config,
                                    TaskHandle handle) override;
  Co<Result<ExitResult>> Wait(Context context, RunId run) override;
  Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) override;
  Co<Status> ForceKill(Context context, RunId run) override;
  Co<Status> Signal(Context context, RunId run, std::string signal) override;
  Co<Status> Pause(Context context, RunId run, bool paused) override;
  // If there is no instance, Destroy fails. But if FORCE is true, it first releases the processes
  // of the run.
  Co<Status> Destroy(Context context, RunId run, bool force) override;
  Co<Result<TaskStatus>> Inspect(Context context, RunId run) override;
  Co<Status> Stats(Context context, RunId run, StatsRequest request,
                   std::function<void(TaskUsage)> sink) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                    ExecRequest request) override;

  std::optional<std::uint32_t> HookStages() const override;
  Duration HookLimit(PluginHookStage stage) const override;
  Co<Result<PluginHookAnswer>> CallHook(Context context,
                                        std::shared_ptr<const PluginHookRequest> request) override;

 private:
  friend class SupervisedDevices;
  friend class SupervisedPrepares;
  using Instance = std::shared_ptr<PluginInstance>;
  enum class State { kNone, kServes, kDown };

  // Describes an exchange: why one instance replaces another, and what follows from that.
  struct Cause {
    // If true, the old instance stays in charge until the exchange has succeeded. In this case the
    // exchange fails if the next instance cannot recover a run.
    bool old_stays;
    // If true, suspects are recovered after all other runs, one at a time. A suspect is a run that
    // was being recovered when a process ended. So a suspect that ends the process again hardly
    // affects the other runs.
    bool suspects_alone;
  };
  static constexpr Cause kReload{.old_stays = true, .suspects_alone = false};
  static constexpr Cause kDeath{.old_stays = false, .suspects_alone = true};

  // A run is not recovered any more if this many processes have ended during its recovers.
  static constexpr int kMaxDeaths = 3;
  // A run that was given to the driver. It exists until its destroy.
  struct Run {
    std::shared_ptr<const TaskConfig> config;
    TaskHandle handle;     // empty until the start has returned a handle
    bool wanted = false;   // the next instance must recover the run
    bool awaited = false;  // the run's start or first recover has not been answered
    int known_by = 0;      // the number of the instance that knows the run
    std::optional<ExitResult> exited;
    // The final error of an instance that could not recover the run.
    std::optional<Error> lost;
    bool recovering = false;  // a recover of the run has begun and has not returned
    bool listened = false;    // somebody listens to the news of the run
    TaskNews::What early;     // the news before that
    // The news of an instance that has recovered the run, but whose answer is not stored yet.
    TaskNews::What coming;
    int coming_from = 0;  // the number of that instance
    // How many processes ended while this run was recovered alone.
    int deaths = 0;
    // Not null while the instance in charge cannot report yet what became of the run. The event is
    // set when an instance has reported it, or when another instance must be asked.
    std::shared_ptr<Event> unseen;

    void Seen() {
      if (const auto was = std::exchange(unseen, nullptr)) was->Set();
    }
  };
  using Answers = std::map<RunId, Result<RecoveredTask>>;
  class Session;

  // The answer of an instance to a call.
  template <typename Answer>
  struct Said {
    Answer answer;
    bool given_up;  // given up for a reload: the next instance must be asked
    bool died;      // the process ended during the call
  };

  // Defined in supervised_driver.cc:
  Error Unavailable() const;
  bool Serves() const { return state_ == State::kServes && instance_->alive(); }
  // Waits while calls are held, at most LIMIT. If LIMIT is 0, only the context limits the wait.
  Co<Status> AwaitRelease(Context context, Duration limit = Duration(0));
  // Returns the instance to ask. Waits while calls are held, at most HELD, and for a process that
  // comes back, at most BACK. A limit of 0 means no limit.
  Co<Result<Instance>> Admit(Context context, Duration back, Duration held = Duration(0));
  // Calls CALL with the driver of INSTANCE and a context, and awaits the coroutine that CALL
  // returns. CALL must not be a coroutine itself. AMONG counts the call while it runs. A reload
  // that cannot wait for the call any longer cancels issue_, which ends the call.
  template <typename Answer, typename Function>
  Co<Said<Answer>> Ask(Context context, Instance instance, CallCount* among, Function call);
  // Asks the instance in charge, and asks again if the call was given up for a reload.
  template <typename Answer, typename Function>
  Co<Answer> Call(Context context, Function call);
  // Like Call, for calls that last as long as the task. If the plugin's process ends during the
  // call, Watch repeats the call on the next instance.
  template <typename Answer, typename Function>
  Co<Answer> Watch(Context context, Function call);
  // Continues a start or recover of RUN that failed because its process ended. Waits until the
  // next instance has recovered the run, and returns its answer. Returns ERROR, the error of the
  // call, if there is no such answer.
  Co<Result<RecoveredTask>> AwaitRecovered(Context context, RunId run, Error error);
  Run* FindRun(const RunId& run);
  void Forget(const RunId& run);
  void Hold();
  void Release();
  void Update();
  void Log(PluginLogLevel level, const std::string& message) const;
  const DriverLimits& limits() const { return code_ ? code_->driver.limits : parts_.limits; }

  // Defined in supervised_exchange.cc:
  Instance NewInstance(std::shared_ptr<const PluginCode> code);
  bool Hears(int number) const;
  void HearNews(int number, const TaskNews& news);
  void HearComing(const RunId& run);
  void Died(int number, const ContainerDeath& death);
  void GiveUp(const Error& error);
  Co<void> BringBack();
  Co<Status> Create(Context context, Instance next);
  Co<Status> Prepare(Context context, Instance next);
  Co<Status> Exchange(Context context, Cause cause, Instance next);
  Co<Status> Drain(Context context);
  Co<Status> RecoverAll(Context context, Cause cause, Instance next, Answers* answers);
  Co<void> RecoverOne(Context context, Cause cause, Instance from, RunId run, Answers* answers);
  Co<void> RecoverSuspects(Context context, Instance from, std::vector<RunId> suspects);
  Co<void> RecoverLater(RunId run);
  Co<Status> ReleaseUnknown(RunId run);
  void Learn(const RunId& run, RecoveredTask recovered, int number);
  void Miss(const RunId& run, const Error& error);
  Co<Status> ReportRuns(Context context, Cause cause, Instance next);
  Co<void> DestroyUnheard(Context context, Instance by);
  std::vector<RunId> KnownRuns() const;
  void TakeCharge(Instance next);
  Co<void> Retire(Instance old);
  static Co<void> End(Instance instance);

  const std::string name_;
  const Parts parts_;
  State state_ = State::kNone;
  // Why there is no instance in charge. Not used in the state kServes.
  std::string reason_ = "the plugin has not been loaded yet";
  // The code of the instance in charge.
  std::shared_ptr<const PluginCode> code_;
  // The instance in charge, also after its process has ended. Null if there was none yet.
  Instance instance_;
  // The instance that Load or BringBack is making.
  Instance coming_;
  int instances_ = 0;
  // The launches and ends of this code's processes, without the pid and output of the living
  // process.
  ContainerStatus last_;
  Duration delay_{0};  // the pause before the next launch

  std::map<RunId, Run> runs_;
  std::optional<std::set<RunId>> restored_;  // the runs that restore_complete reports
  // Runs that were destroyed while no process could be asked. A process that was being launched at
  // that time may have recovered these runs, so they are destroyed again.
  std::set<RunId> unheard_;

  bool held_ = false;
  bool ending_ = false;
  Event released_;  // set while calls are not held
  Event back_;      // set when there may be an instance again
  // The context of the calls inside the instance in charge. Cancelled when the calls are given up.
  Context issue_;
  CallCount calls_;
  CallCount starts_;   // the starts among calls_
  CallCount watches_;  // waits and streams of statistics
  CallCount reloads_;  // counts the active reload; at most one

  StartTurns start_turns_;
  DriverInfo info_;
  Fingerprint fingerprint_;
  Subscription health_;
  SupervisedDevices devices_{this};
  SupervisedPrepares prepares_{this};
  ListenerList<> fingerprint_listeners_;
  KeyedListeners<RunId, const DriverEvent&> event_listeners_;
  KeyedListeners<RunId, const TaskHandle&> handle_listeners_;
  KeyedListeners<RunId, const TaskNews&> news_listeners_;
  long unknown_news_ = 0;  // news that were dropped since the plugin was loaded
  Context life_;
  Context relaunch_;  // the context of BringBack; a reload cancels it
  Gate relaunches_;   // runs the coroutine BringBack, at most one at a time
  Gate gate_;
};

}  // namespace drover
