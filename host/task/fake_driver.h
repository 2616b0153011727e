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

// A driver without processes, for tests of the layers above drivers. It follows the test's script,
// in the time of the test's loop, and counts its calls. Control thread only.
class FakeDriver : public Driver {
 public:
  // How one run behaves.
  struct Script {
    std::optional<Error> start_error;  // Start fails with it and leaves a half made run
    Duration start_delay = 0s;         // before Start does anything
    bool start_blocks = false;         // Start never returns by itself
    std::optional<DriverNetwork> network;

    std::optional<Duration> run_for;         // absent: until it is stopped
    ExitResult exit;                         // by itself, or by Stop without stopped_exit
    std::optional<ExitResult> stopped_exit;  // by Stop; absent: exit
    ExitResult killed_exit{137, 9, false, ""};

    Duration stop_delay = 0s;         // from the signal to the end
    bool ignores_signal = false;      // it ends only by a kill
    bool stop_hangs = false;          // Stop never returns by itself and kills nothing
    std::optional<Error> stop_error;  // Stop fails with it
    int stop_errors = 1 << 30;        // how often it fails
    bool exit_unnoticed = false;      // Wait does not return although the task has ended
    std::optional<Error> force_kill_error;
    std::optional<Error> destroy_error;
    bool destroy_blocks = false;
    std::optional<Error> release_error;  // Destroy removes it, but the host's release fails
    std::optional<Error> signal_error;
    bool signal_blocks = false;
    std::optional<Error> exec_error;

    std::optional<Error> stats_error;  // Stats fails with it at once
    std::optional<int> stats_samples;  // then the stream is closed; absent: endless
    Event* stats_end = nullptr;        // the stream ends only when it is set
  };

  explicit FakeDriver(Loop* loop, std::string name = "fake");
  ~FakeDriver() override;

  // The script of all later runs of a task.
  Script& On(const std::string& task) { return scripts_[task]; }
  // The script of the task's next start only. Several calls queue up.
  void Next(const std::string& task, Script script) { next_[task].push_back(std::move(script)); }
  // Adds a run that an earlier agent started. It has ended if EXITED is given.
  void Plant(RunId run, const std::string& task, std::optional<ExitResult> exited = {});
  // Fails every wait in progress with ERROR. FORGET: the driver no longer knows the runs, though
  // they can be recovered.
  void LosePlugin(Error error, bool forget = true);
  // Ends the task's newest run.
  void End(const std::string& task, ExitResult result);
  void SetHealth(Health health, std::string description = "");
  void Emit(const std::string& task, std::string message, StringMap annotations = {});
  // The task's newest run has another handle from now on.
  void ReplaceHandle(const std::string& task, TaskHandle handle);

  std::optional<Error> recover_error;  // Recover fails with it
  int recover_errors = 1 << 30;        // how often it fails
  std::optional<Error> normalize_error;
  Duration own_limit{0};  // of each call, which it may say but does not keep to
  DriverInfo the_info;

  // The calls in their order: "start web", "stop web 5s SIGTERM", "force_kill web", "destroy web
  // force", "recover web", ... Waits and statistics are only counted.
  const std::vector<std::string>& calls() const { return calls_; }
  // How many calls begin with PREFIX.
  int Count(std::string_view prefix) const;
  int waits() const { return waits_; }
  int stats_calls() const { return stats_calls_; }
  int open_calls() const { return open_calls_; }  // coroutines that have not returned
  // Its listeners, including those that have gone but were not dropped yet.
  std::size_t kept_listeners() const {
    return on_fingerprint_.size() + on_event_.keys() + on_handle_.keys();
  }
  // The runs that were not destroyed, half made ones included. Most tests expect none at their end.
  std::size_t live_runs() const { return runs_.size(); }
  int running(const std::string& task) const;  // runs of the task that have not ended
  // The configuration of the task's newest start.
  std::shared_ptr<const TaskConfig> last_config(const std::string& task) const;
  // When the task's newest run ended.
  std::optional<TimePoint> ended_at(const std::string& task) const;

  const DriverInfo& info() const override { return the_info; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::*) const override { return own_limit; }
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
  struct Run;
  using RunPtr = std::shared_ptr<Run>;
  class OpenCall;

  void Log(std::string call) { calls_.push_back(std::move(call)); }
  std::string TaskOf(RunId run) const;
  RunPtr Find(RunId run) const;  // null when it is not known
  RunPtr Newest(const std::string& task) const;
  RunPtr NewRun(RunId id, const std::string& task, Script script);
  void Begin(const RunPtr& run);
  void EndRun(const RunPtr& run, ExitResult result);

  Loop* const loop_;
  Fingerprint fingerprint_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, std::deque<Script>> next_;
  std::map<RunId, RunPtr> runs_;
  std::map<RunId, std::string> names_;  // includes destroyed runs
  std::map<std::string, RunPtr> newest_;
  std::vector<std::string> calls_;
  int waits_ = 0;
  int stats_calls_ = 0;
  int open_calls_ = 0;

  // As in the real driver: listeners that would pile up there also pile up here.
  ListenerList<> on_fingerprint_;
  KeyedListeners<RunId, const DriverEvent&> on_event_;
  KeyedListeners<RunId, const TaskHandle&> on_handle_;
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
