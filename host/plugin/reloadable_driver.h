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
#include "host/driver/driver_limits.h"
#include "host/plugin/broken_driver.h"
#include "host/plugin/plugin_driver.h"
#include "host/plugin/plugin_log.h"

namespace drover {

// The driver that runners know: one for the life of the agent, whatever instance of the plugin is
// in charge. While it is replaced, calls wait; who waits for the end of a task or follows its
// statistics does not hear of it. Until there is an instance it is a broken driver, with a reason.
class ReloadableDriver : public Driver {
 public:
  struct Parts {
    Loop* loop = nullptr;
    ProcessService* processes = nullptr;  // may be null
    PluginLogSink log;
    DriverLimits limits;
  };
  ReloadableDriver(std::string name, Parts parts);
  ~ReloadableDriver() override;

  // There will be an instance: until Use or SetReason calls wait.
  void Expect(std::string reason);
  // Why there is no instance.
  void SetReason(std::string reason);
  // The instance in charge; null when there is none.
  PluginDriver* current() { return current_.get(); }
  // Takes the first one.
  void Use(std::shared_ptr<PluginDriver> driver);
  // Puts NEXT, a living instance that knows nothing, in the place of the one in charge: calls are
  // held, those on their way are waited for and then given up, NEXT recovers every task. After an
  // error the old one is in charge as before, and NEXT is to be shut down. Else the old one is shut
  // down when the commands that run through it have ended. One at a time.
  Co<Status> Replace(Context context, std::shared_ptr<PluginDriver> next);
  // An event of one of FROM's runs; heard when FROM is the instance in charge.
  void Hear(const PluginDriver* from, const DriverEvent& event);
  // FROM has found RUN under another handle; heard from the instance in charge and from the one
  // that is about to replace it.
  void HearHandle(const PluginDriver* from, const RunId& run, const TaskHandle& handle);

  Co<Status> RestoreComplete(Context context, std::vector<RunId> runs);
  Co<void> Shutdown();

  const DriverInfo& info() const override { return info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override {
    return reign_->driver->LimitOf(which);
  }
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
  Co<Status> Destroy(Context context, RunId run, bool force) override;
  Co<Result<TaskStatus>> Inspect(Context context, RunId run) override;
  Co<Status> Stats(Context context, RunId run, StatsRequest request,
                   std::function<void(TaskUsage)> sink) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                    ExecRequest request) override;

 private:
  // A run that the driver was given, until destroy.
  struct Run {
    std::shared_ptr<const TaskConfig> config;
    TaskHandle handle;
    bool lives = false;  // started or recovered: the next instance is to recover it
    std::optional<ExitResult> exited;
    bool unknown = false;  // to the instance; it has ended, as EXITED tells
  };
  // An instance in charge, or what stands for it, and the commands that run through it.
  struct Reign {
    Reign(Loop* loop, std::shared_ptr<Driver> of) : driver(std::move(of)), no_sessions(loop) {
      no_sessions.Set();
    }
    std::shared_ptr<Driver> driver;
    int sessions = 0;
    Event no_sessions;
  };
  class Session;
  // How many calls of a kind are in the driver.
  struct Count {
    explicit Count(Loop* loop) : none(loop) { none.Set(); }
    int calls = 0;
    Event none;
  };
  class Inside {
   public:
    explicit Inside(Count* count) : count_(count) {
      ++count_->calls;
      count_->none.Reset();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      if (--count_->calls == 0) count_->none.Set();
    }

   private:
    Count* const count_;
  };

  using Recovered = std::map<RunId, Result<RecoveredTask>>;

  // reloadable_driver.cc
  void Release();
  // Waits while calls are held, at most LIMIT (0: as long as that is).
  Co<Status> Admit(Context context, Duration limit = Duration(0));
  // Whether a call that was made under ISSUED, for CONTEXT, has failed by a reload.
  bool GivenUp(const Context& issued, const Context& context) const;
  // What CALL(driver, context) answers of the instance in charge, counted AMONG the others; when it
  // was given up for a reload, of the next one. CALL is no coroutine, it makes one.
  template <typename Answer, typename Call>
  Co<Answer> Ask(Context context, Count* among, Call call);
  Run* FindRun(const RunId& run);
  void Reigns(std::shared_ptr<Driver> driver);
  void Update();

  // driver_reload.cc
  Co<Status> TakeOver(Context context, std::shared_ptr<PluginDriver> next);
  Co<Status> Prepare(Context context, PluginDriver* next, Recovered* recovered);
  Co<Status> Drain(Context context);
  Co<Status> RecoverAll(Context context, PluginDriver* next, Recovered* recovered);
  static Co<void> RecoverOne(Context context, PluginDriver* next,
                             std::shared_ptr<const TaskConfig> config, TaskHandle handle,
                             Result<RecoveredTask>* to);
  void Learn(Recovered recovered);
  void LearnHandle(const RunId& run, const TaskHandle& handle);
  std::vector<RunId> KnownRuns() const;
  Co<void> Retire(std::shared_ptr<PluginDriver> old, std::shared_ptr<Reign> reign);
  void Log(PluginLogLevel level, const std::string& message) const;

  const std::string name_;
  const Parts parts_;
  const std::shared_ptr<BrokenDriver> broken_;
  std::shared_ptr<PluginDriver> current_;
  std::shared_ptr<PluginDriver> ended_;  // the last one, after Shutdown
  const PluginDriver* next_ = nullptr;   // the instance that is about to replace it
  // Handles that next_ found after its recover had returned another.
  std::map<RunId, TaskHandle> newer_handles_;
  std::shared_ptr<Reign> reign_;
  Context issue_;  // of the calls in the instance in charge; cancelled when they are given up
  Subscription health_;
  DriverInfo info_;
  Fingerprint fingerprint_;
  std::map<RunId, Run> runs_;
  std::optional<std::set<RunId>> restored_;  // what restore_complete was told

  bool held_ = false;
  bool ending_ = false;
  Event released_;
  Count calls_;
  Count starts_;
  Count watches_;       // waits and statistics
  Count replacements_;  // at most one

  ListenerList<> fingerprint_listeners_;
  KeyedListeners<RunId, const DriverEvent&> event_listeners_;
  KeyedListeners<RunId, const TaskHandle&> handle_listeners_;
  Context life_;
  Gate gate_;
};

}  // namespace drover
