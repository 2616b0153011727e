// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/base/live_count.h"
#include "host/plugin/driver.h"
#include "host/spec/allocation.h"
#include "host/stats/stats_collector.h"
#include "host/task/hook_chain.h"
#include "host/task/local_state.h"
#include "host/task/restart_tracker.h"
#include "host/task/restore_barrier.h"
#include "host/task/task_hook.h"
#include "host/task/task_seams.h"
#include "host/task/task_state.h"

namespace drover {

struct LiveRun;
struct StopAnswer;

struct TaskRunnerOptions {
  // Everything below that is a pointer is not owned and outlives the runner; only the ones that are
  // marked may be null.
  std::shared_ptr<const Allocation> alloc;
  std::string task_name;  // a task of the allocation's group
  TaskLocation location;

  DriverRegistry* drivers = nullptr;
  StartGate* gate = nullptr;
  TaskDirBuilder* dir_builder = nullptr;
  TaskPreparer* preparer = nullptr;
  TaskObserver* observer = nullptr;  // may be null
  LocalStateStore* store = nullptr;  // may be null: nothing is kept
  StatsDemand* stats_demand =
      nullptr;  // may be null: of the whole agent, held while metrics are on

  // Subscribes to what of a run's output is dropped (as ProcessService::OnDroppedOutput). Null:
  // nobody knows.
  std::function<Subscription(RunId, std::function<void(const DroppedOutput&)>)> on_dropped_output;

  // Hooks beside those that every task has. The order is: task_dir, HOOKS_BEFORE_STATS,
  // stats, HOOKS_AFTER_STATS.
  std::vector<std::shared_ptr<TaskHook>> hooks_before_stats;
  std::vector<std::shared_ptr<TaskHook>> hooks_after_stats;

  // Ended by the allocation when its shutdown delays are to be skipped. Absent: never.
  std::optional<Context> no_shutdown_delay;
  // Returns when a server was heard: a task that could not be re-attached waits for it. Null: no
  // server, no waiting.
  std::function<Co<Status>(Context)> wait_server_contact;
  // Ends the processes of a run, and forgets it, without its driver. Null: it has none of the host.
  std::function<Co<Status>(Context, RunId)> release_run;
  // Hears of a run that could not be destroyed: something of it may be left. Null: nobody cares.
  std::function<void(RunId)> release_later;
  // Hears what became of a restored task; no start begins before it is open. Null: there is nothing
  // to wait for.
  RestoreBarrier* restores = nullptr;

  // What an agent that ran before left of this task. Absent: the task is new.
  struct Restored {
    TaskStateRecord state;
    LocalState local;
  };
  std::optional<Restored> restored;

  Duration max_kill_timeout = 30s;
  Duration stats_interval = 1s;
  Duration start_timeout = 10min;  // of the driver's start
  // Of recover, destroy and signal, and of start, on top of the driver's own limit: a driver ends
  // what its plugin does not answer by itself.
  Duration driver_timeout = 30s;
  // A random number below BOUND, for the jitter of restarts. Null: a good one.
  std::function<std::uint64_t(std::uint64_t bound)> random;
  // Hears of errors that are only worth a line in the log. May be null.
  std::function<void(const std::string& task_name, const Error& error)> report;
};

// Runs one task of an allocation from its first prestart to its end, restarts included. Belongs to
// the control thread, as all its methods do. The owner calls Run exactly once, whatever state the
// task was restored in: the run is also what cleans up.
//
// The owner decides about the others: which tasks are killed when one has failed, and the kill that
// ends a task that is dead and only waits for a restart of the whole allocation (see Run).
class TaskRunner : public TaskControl,
                   public std::enable_shared_from_this<TaskRunner>,
                   public LiveCount<TaskRunner> {
 public:
  // An error when the allocation has no such task.
  static Result<std::shared_ptr<TaskRunner>> Create(Loop* loop, TaskRunnerOptions options);
  ~TaskRunner() override;

  // Runs the task. Returns when it has ended for good and its stop hooks have run, or when the
  // agent shuts down, which leaves a running task alone. A dead task other than poststop does not
  // end its run by itself: it waits, for a ForceRestart or a Kill.
  Co<void> Run();
  // Whether Run has returned, and a way to wait for it.
  bool ended() const;
  Co<void> WaitEnded();

  // Stops the task for good and returns when Run has: success, or why the driver could not stop
  // it. EVENT, if any, is appended first; a Killing event is dropped when the task has finished
  // already. May be called any number of times.
  Co<Status> Kill(std::optional<TaskEvent> event);
  // The first half of Kill: it only asks.
  void StartKill(std::optional<TaskEvent> event);
  // The event for a kill of this task: its kill timeout within the agent's limit.
  TaskEvent MakeKillingEvent() const;
  // How long the task may take to end when it is asked to.
  Duration KillTimeout() const;

  // Stops the running task so that it starts again, and returns when it has been stopped. A FAILURE
  // counts against the restart policy. kFailedPrecondition, "Task not running", when it is pending
  // or dead.
  Co<Status> Restart(TaskEvent event, bool failure);
  // The same, but a task that is dead, or has just ended, is started again too, unless its run is
  // over.
  Co<Status> ForceRestart(TaskEvent event, bool failure);
  // Sends a signal by its name; "Task not running" (and no event) without a live task.
  Co<Status> Signal(TaskEvent event, std::string signal);
  // Runs a command beside the task. Waits a while for a task that is about to start; the error is
  // then "no driver handle".
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, ExecRequest request);
  Co<Result<TaskStatus>> Inspect(Context context);

  // The allocation could not be set up: the task fails with REASON and will not start. Call Run
  // all the same.
  void MarkFailedKill(std::string reason);
  // The same for a task of an earlier agent, which may run: it runs on, and fails with REASON when
  // it would start again.
  void ForbidStart(std::string reason) { no_start_ = std::move(reason); }
  // The network namespace of all its starts from now on; before Run.
  void SetNetworkNamespace(std::string path) {
    options_.location.network_namespace = std::move(path);
  }
  // The allocation is to be removed: what cannot be written down any more does not matter.
  void LetGo() { let_go_.Cancel("the allocation is to be removed"); }
  // The allocation has changed. When the task is gone from it, the task is killed.
  void Update(std::shared_ptr<const Allocation> alloc);
  // The agent ends: leaves the task running, returns when Run has, then runs the shutdown hooks.
  Co<void> Shutdown();

  void EmitEvent(TaskEvent event) override;
  void RequestRestart(TaskEvent event, bool failure) override;
  void RequestKill(TaskEvent event) override;
  void RequestSignal(TaskEvent event, std::string signal) override;

  const Task& task() const { return *task_; }
  const std::string& name() const { return name_; }
  // The state now; it does not change, the next one is another object.
  TaskSnapshot snapshot() const { return snapshot_; }
  bool running() const { return snapshot_->state == RunnerState::kRunning; }
  // What would be restored now.
  const LocalState& local_state() const { return local_; }
  std::optional<DriverNetwork> network() const { return local_.network; }
  const std::shared_ptr<StatsCollector>& stats() const { return stats_; }

 private:
  // Why a part of the run returned.
  enum class Step {
    kNext,      // go on with the next part
    kAgain,     // begin again at the gate
    kEnd,       // the task will not start again
    kShutdown,  // leave everything as it is
  };
  struct Outcome;  // what those who wait for the end of the run share with it

  TaskRunner(Loop* loop, TaskRunnerOptions options, std::shared_ptr<const Task> task);

  // task_runner.cc: the way of a task through its life.
  Co<void> RunWhole();
  Co<Step> MainLoop();
  Co<Step> WaitTurn();
  Co<Step> RunToExit();
  Co<Step> AfterExit();
  Co<void> EndRun();
  Co<Step> ForgetEnded();
  Co<Step> Decide();
  Co<Step> StopLeftover();
  Co<Step> ParkDead();
  Co<void> Complete();
  bool ShouldRun() const;
  void NoteAttempts();  // into the state, with which they are kept

  // runner_start.cc: from the hooks to a running driver task.
  Co<Step> Prestart();
  Co<Step> StartDriver();
  Co<Status> TryStart(std::shared_ptr<const TaskConfig> config);
  Result<std::shared_ptr<const TaskConfig>> MakeConfig(RunId run, std::string id, bool running);
  PrepareRequest MakePrepareRequest() const;
  Result<Driver*> FindDriver() const;

  // runner_live.cc: a run that the driver knows.
  void Adopt(std::shared_ptr<const TaskConfig> config, std::optional<ExitResult> exited);
  static Co<void> WatchExit(TaskRunner* self, std::shared_ptr<LiveRun> run);
  Co<bool> RecoverLost(std::shared_ptr<LiveRun> run);
  // How long this waits for a call that the driver itself gives up after its limit.
  Duration Backstop(const Driver& driver, Duration DriverLimits::* limit) const;
  Co<Result<RecoveredTask>> AskRecover(Context context, std::shared_ptr<const TaskConfig> config);
  void Unwatch();
  Co<void> Discard(RunId run, bool kill);
  void ForgetRun();
  void NoteHealth(LiveRun* run);
  void HearDriver(const DriverEvent& event);
  void HearDropped(const DroppedOutput& dropped);
  static Co<void> TellDroppedLoop(TaskRunner* self, std::shared_ptr<LiveRun> run);
  void TellDropped(LiveRun* run);
  Co<Result<std::shared_ptr<LiveRun>>> LazyRun(Context context);

  // runner_restore.cc: what an earlier agent left.
  Co<Step> Restore();
  Co<Step> ResumeExit();
  Co<Step> Reattach();
  Co<Result<RecoveredTask>> AwaitDriver(std::shared_ptr<const TaskConfig> config, Error first);
  bool MayComeBack(const Result<RecoveredTask>& recovered) const;
  Co<Step> GiveUpReattach(Error error);
  void ResumeWish();
  Co<Step> ResumeDelay();
  void TellRestored();

  // runner_kill.cc: from the wish to the end of the processes.
  Co<void> KillTask(std::shared_ptr<LiveRun> run);
  Co<void> NoteWish(RunWish wish);
  Co<void> SaveWish();
  Co<void> WaitShutdownDelay(std::shared_ptr<LiveRun> run);
  Duration StopTimeout(LiveRun* run) const;
  Co<Status> StopRun(std::shared_ptr<LiveRun> run);
  static Co<void> AskStop(TaskRunner* self, std::shared_ptr<LiveRun> run, Context context,
                          Duration timeout, std::shared_ptr<StopAnswer> answer);
  Co<Status> EnforceStop(std::shared_ptr<LiveRun> run, Context context, Duration timeout,
                         std::shared_ptr<StopAnswer> answer);

  // runner_control.cc: requests from outside, the state and the hooks.
  Co<Status> RestartRunning(TaskEvent event, bool failure);
  static Co<void> CarryOut(std::shared_ptr<TaskRunner> self, Co<Status> request);
  static Co<void> UpdateLoop(TaskRunner* self);
  Co<void> RunHooks(HookStage stage, Context context);
  // When a change to STATE happened: nobody may have looked when the task ended.
  WallTime StateTime(RunnerState state) const;
  // Whether there is an event of TYPE since the last start: by an agent that died, perhaps.
  bool HasToldOfRun(std::string_view type) const;
  bool LastTold(std::string_view type) const;  // whether the last event is of TYPE
  void SetState(RunnerState state);
  void SetState(RunnerState state, TaskEvent event);
  void Publish();
  Co<Status> Save();
  Co<Status> Save(Context context);
  Co<void> SaveOrReport();
  void ReportError(const Error& error) const;

  Loop* const loop_;
  TaskRunnerOptions options_;
  const std::string name_;
  std::shared_ptr<const Allocation> alloc_;
  std::shared_ptr<const Task> task_;

  TaskStateRecord state_;
  TaskSnapshot snapshot_;
  LocalState local_;
  RestartTracker tracker_;

  Context life_;      // ends with the run, at the latest
  Context kill_;      // the task is to be killed
  Context shutdown_;  // the agent shuts down
  Context let_go_;    // the allocation is to be removed
  Event force_restart_;
  Event update_;
  Gate background_;
  std::shared_ptr<Outcome> outcome_;

  std::unique_ptr<HookChain> hooks_;
  HookChain::Prepared prepared_;  // by the last prestart
  std::shared_ptr<StatsCollector> stats_;
  std::shared_ptr<LiveRun> run_;  // null while the driver has none
  std::shared_ptr<LiveRun>
      unsaved_end_;                      // ended, but only the driver can tell it to the next agent
  std::optional<std::string> no_start_;  // why the task must not start any more
};

}  // namespace drover
