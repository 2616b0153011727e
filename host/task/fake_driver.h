// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/base/keyed_listeners.h"
#include "host/base/listener_list.h"
#include "host/driver/driver.h"

namespace drover {

// A driver for tests. It starts no processes. Its runs behave as the test's Script says, in the
// time of the test's loop. It records the calls that it receives. Control thread only.
class FakeDriver : public Driver {
 public:
  // How one run behaves.
  struct Script {
    std::optional<Error> prepare_error;  // PrepareTask fails with this error after its delay
    Duration prepare_delay = 0s;
    bool prepare_blocks = false;       // PrepareTask returns only when its context is cancelled
    std::optional<Error> start_error;  // Start fails with this error and leaves a run behind
    Duration start_delay = 0s;         // how long Start takes
    bool start_blocks = false;         // Start returns only when its context is cancelled
    std::optional<DriverNetwork> network;

    std::optional<Duration> run_for;         // absent: the run ends only when it is stopped
    ExitResult exit;                         // the result if the run ends by itself
    std::optional<ExitResult> stopped_exit;  // the result after Stop; absent: EXIT
    ExitResult killed_exit{137, 9, false, ""};

    Duration stop_delay = 0s;         // the time from the signal to the end of the run
    bool ignores_signal = false;      // true: only a kill ends the run
    bool stop_hangs = false;          // Stop kills nothing and waits for the end of its context
    std::optional<Error> stop_error;  // Stop fails with this error
    int stop_errors = 1 << 30;        // how often Stop fails with stop_error
    bool exit_unnoticed = false;      // true: Wait does not return after the task has ended
    std::optional<Error> force_kill_error;
    std::optional<Error> destroy_error;
    bool destroy_blocks = false;
    std::optional<Error> release_error;  // Destroy removes the run, but returns this error
    std::optional<Error> signal_error;
    bool signal_blocks = false;
    Duration pause_delay = 0s;  // how long Pause takes
    std::optional<Error> exec_error;

    std::optional<Error> stats_error;  // Stats fails with this error at once
    std::optional<int> stats_samples;  // the number of samples in a stream; absent: no limit
    Event* stats_end = nullptr;        // not null: Stats sends no samples and waits for this event
  };

  explicit FakeDriver(Loop* loop, std::string name = "fake");
  ~FakeDriver() override;

  // The script of all later runs of a task.
  Script& On(const std::string& task) { return scripts_[task]; }
  // Appends SCRIPT to the task's queue. A start of the task takes the first script of the queue, or
  // uses the script of On if the queue is empty.
  void Next(const std::string& task, Script script) { next_[task].push_back(std::move(script)); }
  // Adds a run that an earlier agent started. If EXITED has a value, the run has already ended.
  void Plant(RunId run, const std::string& task, std::optional<ExitResult> exited = {});
  // Fails every Wait in progress with ERROR. If FORGET is true, the driver also forgets each of its
  // runs until Recover is called for the run.
  void LosePlugin(Error error, bool forget = true);
  // Ends the task's newest run.
  void End(const std::string& task, ExitResult result);
  void SetHealth(Health health, std::string description = "");
  void Emit(const std::string& task, std::string message, StringMap annotations = {});
  // Reports HANDLE as the new handle of the task's newest run.
  void ReplaceHandle(const std::string& task, TaskHandle handle);

  std::optional<Error> recover_error;  // Recover fails with this error
  int recover_errors = 1 << 30;        // how often Recover fails with recover_error
  std::optional<Error> normalize_error;
  Duration own_limit{0};  // the result of LimitOf; the driver does not enforce it
  DriverInfo the_info;
  bool prepares = false;  // whether PrepareTask is called

  // The calls in their order, such as "start web", "stop web 5s SIGTERM" and "destroy web force".
  // Calls of Wait and Stats are only counted, by waits() and stats_calls().
  const std::vector<std::string>& calls() const { return calls_; }
  // Returns how many texts of calls() begin with PREFIX.
  int Count(std::string_view prefix) const;
  int waits() const { return waits_; }
  int stats_calls() const { return stats_calls_; }
  int open_calls() const { return open_calls_; }  // coroutines that have not returned
  // The number of listeners, including cancelled listeners that are not removed yet.
  std::size_t kept_listeners() const {
    return on_fingerprint_.size() + on_event_.keys() + on_handle_.keys() + on_news_.keys();
  }
  // The number of runs that were not destroyed, including runs whose start failed. Most tests
  // expect 0 at their end.
  std::size_t live_runs() const { return runs_.size(); }
  int running(const std::string& task) const;  // how many runs of the task are alive
  // The configuration of the task's newest start.
  std::shared_ptr<const TaskConfig> last_config(const std::string& task) const;
  // Returns the time at which the task's newest run ended, if it has ended.
  std::optional<TimePoint> ended_at(const std::string& task) const;

  const DriverInfo& info() const override { return the_info; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override {
    return which == &DriverLimits::extend ? Duration(0) : own_limit;
  }
  Subscription OnFingerprint(std::function<void()> changed) override;
  Subscription OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) override;
  Subscription OnHandle(RunId run, std::function<void(const TaskHandle&)> hear) override;
  Subscription OnNews(RunId run, std::function<void(const TaskNews&)> hear) override {
    return on_news_.Add(run, std::move(hear));
  }
  // Sends news of RUN.
  void Tell(RunId run, TaskNews::What what) { on_news_.Call(run, TaskNews{run, std::move(what)}); }
  Result<std::string> NormalizeConfigAt(const std::string& place, const std::string& config_json,
                                        bool final) override;
  bool Prepares() const override { return prepares; }
  Co<Status> PrepareTask(Context context, std::shared_ptr<const TaskConfig> config,
                         HearProgress hear) override;
  Co<Result<StartedTask>> Start(Context context, std::shared_ptr<const TaskConfig> config) override;
  Co<Result<RecoveredTask>> Recover(Context context, std::shared_ptr<const TaskConfig> config,
                                    TaskHandle handle) override;
  Co<Result<ExitResult>> Wait(Context context, RunId run) override;
  Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) override;
  Co<Status> ForceKill(Context context, RunId run) override;
  Co<Status> Signal(Context context, RunId run, std::string signal) override;
  Co<Status> Pause(Context context, RunId run, bool paused) override;
  Co<Status> Destroy(Context context, RunId run, bool force) override;
  Co<Result<TaskStatus>> Inspect(Context context, RunId run) override;
  Co<Status> Stats(Context context, RunId run, StatsRequest request,
                   std::function<void(TaskUsage)> sink) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                    ExecRequest request) override;

 private:
  struct Run;
  using RunPtr = std::shared_ptr<Run>;
  class OpenCall;

  void Log(std::string call) { calls_.push_back(std::move(call)); }
  std::string TaskOf(RunId run) const;
  RunPtr Find(RunId run) const;  // null: the driver does not know RUN
  RunPtr Newest(const std::string& task) const;
  RunPtr NewRun(RunId id, const std::string& task, Script script);
  void Begin(const RunPtr& run);
  void EndRun(const RunPtr& run, ExitResult result);

  Loop* const loop_;
  Fingerprint fingerprint_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, std::deque<Script>> next_;
  std::map<RunId, RunPtr> runs_;
  std::map<RunId, std::string> names_;  // the task's name of each run, also of destroyed runs
  std::map<std::string, RunPtr> newest_;
  std::vector<std::string> calls_;
  int waits_ = 0;
  int stats_calls_ = 0;
  int open_calls_ = 0;

  // The lists of listeners, of the same types as in SupervisedDriver. Tests use kept_listeners() to
  // check that cancelled listeners are removed from such lists.
  ListenerList<> on_fingerprint_;
  KeyedListeners<RunId, const DriverEvent&> on_event_;
  KeyedListeners<RunId, const TaskHandle&> on_handle_;
  KeyedListeners<RunId, const TaskNews&> on_news_;
};

// A registry of the drivers that a test adds.
class FakeDriverRegistry : public DriverRegistry {
 public:
  void Add(Driver* driver) { drivers_[driver->info().name] = driver; }
  void Remove(const std::string& name) { drivers_.erase(name); }
  Driver* Find(const std::string& name) override {
    const auto found = drivers_.find(name);
    return found == drivers_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, Driver*> drivers_;
};

}  // namespace drover
