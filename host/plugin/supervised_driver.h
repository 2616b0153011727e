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
#include "host/plugin/call_count.h"
#include "host/plugin/plugin_instance.h"
#include "host/plugin/plugin_log.h"

namespace drover {

// A plugin's process, as operators see it.
struct ContainerStatus {
  pid_t pid = 0;  // 0: there is none now
  int launches = 0;
  std::string last_end;  // how the last one ended, one line; empty: none has
  std::string output;    // the last of what it wrote, or of what the one before it wrote
  // The last one that ended, in more than one line.
  std::optional<ContainerDeath> death;
  WallTime died_at = 0;
};

// The driver that runners know: one for the life of the agent, whatever instance of the plugin is
// in charge. It keeps what is known of each run towards the driver, and gives the runs to the next
// instance when one goes.
//
//   kNone   --Load-->                 kServes
//   kServes --its process has ended-> kDown   --Exchange(kDeath)--> kServes
//   any     --Exchange(kReload)-->    kServes
//   any     --Shutdown-->             kNone
//
//   kNone    There is no instance, for a reason. Calls fail with it.
//   kServes  Calls go to the instance in charge.
//   kDown    The process of the instance in charge has ended. BringBack makes the next one, later
//            each time. A start or recover that was on its way is answered by the next instance.
//            Other calls that were on their way fail. New calls wait for a while.
//
// A wait for the end of a task and a stream of statistics go on with the next instance.
//
// While calls are held, which a Load and a reload do, they wait in every state.
//
// Exchange is the one way in which an instance takes the place of another: it gets the old one out
// of the way, has the next one recover every run, reports to it which runs the host knows, has it
// destroy what was destroyed meanwhile, and puts it in charge. At most one runs at a time: a reload
// ends the BringBack that is under way and, if the reload fails, begins another one. An instance
// that dies while calls are held is brought back after that.
//
// Control thread only.
class SupervisedDriver : public Driver {
 public:
  struct Parts {
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // may be null
    PluginLogSink log;
    DriverLimits limits;
  };
  SupervisedDriver(std::string name, Parts parts);
  ~SupervisedDriver() override;

  // There will be an instance: until Load or SetReason calls wait.
  void Expect(std::string reason);
  // There is no instance, for this REASON. Nothing happens when there is one.
  void SetReason(std::string reason);
  // Makes the first instance. A process that has ended in this is brought back: then the error is
  // only the first one, and has_instance() is true.
  Co<Status> Load(Context context, PluginCode code);
  // Makes an instance of CODE beside the one in charge and puts it in its place: calls are held,
  // those on their way are waited for and then given up, and the next instance recovers every run.
  // After an error the old one is in charge as before. Else the old one is shut down when the
  // commands that run through it have ended. One at a time.
  Co<Status> Reload(Context context, PluginCode code);
  // A new configuration, already checked, for the instance in charge and those that are made of the
  // same code later.
  Co<Status> Configure(Context context, std::string config_json);
  // Which runs the host still knows; each instance hears it once.
  Co<Status> RestoreComplete(Context context, std::vector<RunId> runs);
  // Returns when the instance in charge has reported its health, or will not.
  Co<void> AwaitFirstFingerprint(Context context);
  // Ends everything but the tasks; needed before destruction.
  Co<void> Shutdown();

  // Whether there is an instance, or one is on its way back.
  bool has_instance() const { return state_ != State::kNone; }
  // Whether that has a process of its own.
  bool contained() const { return has_instance() && !code_->in_process(); }
  // The code as it is called now; null when it cannot be.
  LoadedDriver* current() { return Serves() ? instance_->driver() : nullptr; }
  ContainerStatus status() const;

  const DriverInfo& info() const override { return info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override;
  Subscription OnFingerprint(std::function<void()> changed) override;
  Subscription OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) override;
  Subscription OnHandle(RunId run, std::function<void(const TaskHandle&)> hear) override;
  Result<std::string> NormalizeConfigAt(const std::string& place, const std::string& config_json,
                                        bool final) override;
  Co<Result<StartedTask>> Start(Context context, std::shared_ptr<const TaskConfig> config) override;
  Co<Result<RecoveredTask>> Recover(Context context, std::shared_ptr<const TaskConfig> config,
                                    TaskHandle handle) override;
  Co<Result<ExitResult>> Wait(Context context, RunId run) override;
  Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) override;
  Co<Status> ForceKill(Context context, RunId run) override;
  Co<Status> Signal(Context context, RunId run, std::string signal) override;
  // Without an instance, the host's part of the run is released if FORCE; the call fails.
  Co<Status> Destroy(Context context, RunId run, bool force) override;
  Co<Result<TaskStatus>> Inspect(Context context, RunId run) override;
  Co<Status> Stats(Context context, RunId run, StatsRequest request,
                   std::function<void(TaskUsage)> sink) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                    ExecRequest request) override;

 private:
  using Instance = std::shared_ptr<PluginInstance>;
  enum class State { kNone, kServes, kDown };

  // Why an instance takes the place of another, and what follows from that.
  struct Cause {
    // The old one is there, hears nothing of this, and stays in charge when anything fails. So a
    // run that the next one cannot recover fails the exchange.
    bool old_stays;
    // Runs in whose recover a process has ended come after the others, one at a time, so that what
    // they do costs the others little.
    bool suspects_alone;
  };
  static constexpr Cause kReload{.old_stays = true, .suspects_alone = false};
  static constexpr Cause kDeath{.old_stays = false, .suspects_alone = true};

  // A run in whose recover so many processes have ended is left alone.
  static constexpr int kMaxDeaths = 3;
  // A run that the driver was given, until destroy.
  struct Run {
    std::shared_ptr<const TaskConfig> config;
    TaskHandle handle;     // empty: its start has not returned one
    bool wanted = false;   // the next instance must recover it
    bool awaited = false;  // its start, or its first recover, has not been answered
    int known_by = 0;      // the number of the instance that knows it
    std::optional<ExitResult> exited;
    std::optional<Error> lost;  // the last instance that was asked does not know it, and never will
    bool recovering = false;    // its recover has begun and not returned
    int deaths = 0;             // of processes in its recover, alone
    // Null, unless the instance in charge could not report yet what became of it.
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
    bool given_up;  // for a reload: the next instance must be asked
    bool died;      // the process has ended in this
  };

  // supervised_driver.cc
  Error Unavailable() const;
  bool Serves() const { return state_ == State::kServes && instance_->alive(); }
  // Waits while calls are held, at most LIMIT (0: as long as that is).
  Co<Status> AwaitRelease(Context context, Duration limit = Duration(0));
  // The instance to ask. Waits while calls are held, at most HELD (0: as long as that is), and for
  // a process that comes back, at most BACK (0: as long as that takes).
  Co<Result<Instance>> Admit(Context context, Duration back, Duration held = Duration(0));
  // Has CALL(driver, context), which is no coroutine but makes one, ask INSTANCE. The call is
  // counted AMONG others, and given up when ISSUE_ is cancelled.
  template <typename Answer, typename Function>
  Co<Said<Answer>> Ask(Context context, Instance instance, CallCount* among, Function call);
  // The same of the instance in charge, and again when it was given up for a reload.
  template <typename Answer, typename Function>
  Co<Answer> Call(Context context, Function call);
  // The same for what lasts as long as the task does: also again when the process has ended.
  template <typename Answer, typename Function>
  Co<Answer> Watch(Context context, Function call);
  // The start or the recover of RUN ended with its process. The next one recovers the run, and its
  // answer counts. ERROR is the call's, when nothing comes of it.
  Co<Result<RecoveredTask>> AwaitRecovered(Context context, RunId run, Error error);
  Run* FindRun(const RunId& run);
  void Forget(const RunId& run);
  void Hold();
  void Release();
  void Update();
  void Log(PluginLogLevel level, const std::string& message) const;
  const DriverLimits& limits() const { return code_ ? code_->driver.limits : parts_.limits; }

  // supervised_exchange.cc
  Instance NewInstance(std::shared_ptr<const PluginCode> code);
  bool Hears(int number) const;
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
  std::string reason_ = "the plugin has not been loaded yet";  // unless it serves
  std::shared_ptr<const PluginCode> code_;                     // of the instance in charge
  Instance instance_;  // in charge, also after its end; null: there was none
  Instance coming_;    // what a Load or BringBack makes
  int instances_ = 0;
  ContainerStatus last_;  // of the processes of this code, but for the one that lives
  Duration delay_{0};     // before the next launch

  std::map<RunId, Run> runs_;
  std::optional<std::set<RunId>> restored_;  // what restore_complete reports
  // Destroyed while no process could be asked, which may have been about to recover them.
  std::set<RunId> unheard_;

  bool held_ = false;
  bool ending_ = false;
  Event released_;  // calls are not held
  Event back_;      // there may be an instance again
  Context issue_;   // of the calls in the instance in charge; cancelled when they are given up
  CallCount calls_;
  CallCount starts_;   // among the calls
  CallCount watches_;  // waits and statistics
  CallCount reloads_;  // at most one

  DriverInfo info_;
  Fingerprint fingerprint_;
  Subscription health_;
  ListenerList<> fingerprint_listeners_;
  KeyedListeners<RunId, const DriverEvent&> event_listeners_;
  KeyedListeners<RunId, const TaskHandle&> handle_listeners_;
  Context life_;
  Context relaunch_;  // of BringBack; a reload cancels it
  Gate relaunches_;   // at most one BringBack
  Gate gate_;
};

}  // namespace drover
