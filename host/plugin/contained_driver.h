// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/worker_pool.h"
#include "host/container/process_container.h"
#include "host/library/plugin_file.h"
#include "host/plugin/loaded_driver.h"

namespace drover {

// What an operator may want to know of a plugin's process.
struct ContainerStatus {
  pid_t pid = 0;  // 0: there is none now
  int launches = 0;
  std::string last_end;  // how the last one ended, one line; empty: none has
  std::string output;    // the last of what it wrote, or of what the one before it wrote
  // The last one that ended: of it is known more than one line.
  std::optional<ContainerDeath> death;
  WallTime died_at = 0;
};

// A driver whose code runs in a process of its own. The process may end in any way at any time: it
// is launched again, later each time, and the driver is given the runs back that it had, with the
// configurations and handles that are kept here. Until then the driver is unhealthy. Who waits for
// the end of a task does not hear of it; a start that was on its way is looked for; other calls
// that were on their way fail, and those that come meanwhile wait for a while.
//
// Behind it is a LoadedDriver, a new one for each process. A driver that holds a function past its
// limit, or a call past its deadline, is ended like one that crashes.
class ContainedDriver : public PluginDriver {
 public:
  struct Parts {
    LoadedDriver::Parts driver;  // without a container
    WorkerPool* workers = nullptr;
    std::shared_ptr<PluginFile> file;  // checked; open as long as this lives
    std::string config_json;           // checked
    // Hears the handles of all runs that OnHandle hears; may be empty.
    std::function<void(const RunId&, const TaskHandle&)> hear_handle = nullptr;
  };
  explicit ContainedDriver(Parts parts);
  ~ContainedDriver() override;

  // The first launch. Once, first. After kUnavailable it is tried again and again; after any other
  // error only Shutdown makes sense.
  Co<Status> Create(Context context);
  Co<Status> Configure(Context context, std::string config_json) override;
  Co<Status> RestoreComplete(Context context, std::vector<RunId> runs) override;
  void Retire() override { life_.Cancel("the plugin has been reloaded"); }
  Co<void> Shutdown() override;
  Co<void> AwaitFirstFingerprint(Context context) override;
  LoadedDriver* code() override { return current(); }
  ContainedDriver* contained() override { return this; }
  // The driver of the process that lives now; null when there is none.
  LoadedDriver* current() { return ready_ ? current_.get() : nullptr; }
  ContainerStatus status() const;

  const DriverInfo& info() const override { return info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Duration LimitOf(Duration DriverLimits::* which) const override { return limits().*which; }
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
  using Living = std::shared_ptr<LoadedDriver>;
  // A run in whose recover so many processes have died is left alone.
  static constexpr int kMaxDeaths = 3;
  // A run that the driver was given, until destroy.
  struct Run {
    std::shared_ptr<const TaskConfig> config;
    TaskHandle handle;        // empty: the start has not returned one
    bool wanted = false;      // the next process is to recover it
    int generation = 0;       // the process that knows it
    bool recovering = false;  // its recover has begun and not returned
    int deaths = 0;           // of processes in its recover, alone
    std::optional<ExitResult> exited;
    std::optional<Error> lost;  // recover said so
    // Null but while the process that lives could not say yet what became of it.
    std::shared_ptr<Event> unseen;
    void Seen() {
      if (const auto was = std::exchange(unseen, nullptr)) was->Set();
    }
  };
  // What a process that was launched has told.
  struct Launch {
    Launch(Loop* loop, ContainedDriver* of) : driver(of), heard(loop) {}
    ContainedDriver* driver;  // null: it follows another one, or has gone
    Event heard;
    std::optional<Result<PluginInfo>> info;
    std::optional<ContainerDeath> death;
  };

  // contained_driver.cc
  Co<Result<Living>> Live(Context context);   // waits for a while
  Co<Result<Living>> Ready(Context context);  // waits
  bool Lost(const Living& driver);
  Error Unavailable() const;
  Run* FindRun(const RunId& run);
  Co<Result<RecoveredTask>> AwaitRecovered(Context context, RunId run, Error error);

  // contained_launch.cc
  Co<void> Keep();
  Co<Status> Bring(Context context);
  Co<Status> LaunchProcess(Context context);
  Co<void> RecoverAll(Context context);
  Co<void> RecoverOne(Context context, Living driver, RunId run);
  Co<void> RecoverLater(RunId run);
  Co<Status> AwaitDeath();
  Co<void> DestroyUnheard(Context context);
  std::vector<RunId> KnownRuns() const;
  void Follow(std::shared_ptr<Launch> next);
  void Died(const std::shared_ptr<Launch>& launch);
  void GiveUp(const Error& error);
  void Update();
  std::string Name() const { return info_.name + " " + info_.version; }

  Loop* loop() const { return parts_.driver.loop; }
  const DriverLimits& limits() const { return parts_.driver.limits; }
  void Log(PluginLogLevel level, const std::string& message) const;

  Parts parts_;
  DriverInfo info_;  // of the instance, once there was one
  const std::shared_ptr<LoopPort> port_;

  std::shared_ptr<ProcessContainer> container_;
  std::shared_ptr<Launch> launch_;
  Living current_;
  Subscription health_;
  int generation_ = 0;
  TimePoint launched_;
  bool ready_ = false;  // it lives, and knows what it knew
  bool ending_ = false;
  Event ready_event_;
  Event ended_;  // the process
  std::string reason_ = "it has not been launched yet";
  std::string given_up_for_;  // what the host last had against a process of its own accord
  std::string last_end_;
  std::string last_output_;
  std::optional<ContainerDeath> last_death_;
  WallTime died_at_ = 0;

  std::map<RunId, Run> runs_;
  // Destroyed while no process could be asked, which may have been about to recover them.
  std::set<RunId> unheard_;
  std::optional<std::set<RunId>> restored_;  // what restore_complete was told

  Fingerprint fingerprint_;
  ListenerList<> fingerprint_listeners_;
  KeyedListeners<RunId, const DriverEvent&> event_listeners_;
  KeyedListeners<RunId, const TaskHandle&> handle_listeners_;
  Context life_;
  Gate gate_;
};

}  // namespace drover
