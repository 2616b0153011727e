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
#include "host/driver/driver.h"
#include "host/spec/allocation.h"
#include "host/stats/stats_collector.h"
#include "host/task/hook_chain.h"
#include "host/task/local_state.h"
#include "host/task/restart_tracker.h"
#include "host/task/task_hook.h"
#include "host/task/task_journal.h"
#include "host/task/task_seams.h"
#include "host/task/task_services.h"
#include "host/task/task_state.h"

namespace drover {

struct LiveRun;
struct StopAnswer;

// The pointers are not owned, and their objects must outlive the runner. A pointer may be null
// only where its comment says so.
struct TaskRunnerOptions {
  std::shared_ptr<const Allocation> alloc;
  std::string task_name;  // a task of the allocation's group
  TaskLocation location;
  const TaskServices* services = nullptr;

  // The allocation supplies the members below, up to NO_SHUTDOWN_DELAY.
  StartGate* gate = nullptr;
  TaskDirBuilder* dir_builder = nullptr;
  TaskObserver* observer = nullptr;  // may be null
  LocalStateStore* store = nullptr;  // may be null: nothing is stored
  // The allocation cancels this context to skip the shutdown delays. May be absent.
  std::optional<Context> no_shutdown_delay;

  // Additional hooks of this task. All hooks are called in this order: HOOKS_BEFORE_DIR, task_dir,
  // HOOKS_BEFORE_STATS, stats, HOOKS_AFTER_STATS.
  std::vector<std::shared_ptr<TaskHook>> hooks_before_dir;
  std::vector<std::shared_ptr<TaskHook>> hooks_before_stats;
  std::vector<std::shared_ptr<TaskHook>> hooks_after_stats;

  // The records of this task that an earlier agent left. Absent if the task is new.
  std::optional<TaskRecords> restored;
};

// Runs one task of an allocation from its first prestart to its end, restarts included. The runner
// and all its methods belong to the control thread. The owner must call Run exactly once, even for
// a task that was restored as dead, because Run also cleans up.
//
// The owner makes the decisions that concern several tasks. It decides which other tasks are killed
// after a task has failed. It also kills a dead task that only waits for a restart of the whole
// allocation (see Run).
class TaskRunner : public TaskControl,
                   public std::enable_shared_from_this<TaskRunner>,
                   public LiveCount<TaskRunner> {
 public:
  // Fails when the allocation has no such task.
  static Result<std::shared_ptr<TaskRunner>> Create(Loop* loop, TaskRunnerOptions options);
  ~TaskRunner() override;

  // Runs the task. Returns when the task has ended for good and its stop hooks have run. Also
  // returns when the agent shuts down. Then a running task keeps running. While the task is dead,
  // Run waits for a ForceRestart or a Kill. Run does not wait if the dead task is a poststop task.
  Co<void> Run();
  // ended() reports whether Run has returned. WaitEnded() waits until Run has returned.
  bool ended() const;
  Co<void> WaitEnded();

  // Stops the task for good and returns when Run has returned. The result is success, or the reason
  // why the driver could not stop the task. First appends EVENT, if any, to the task's events.
  // Drops a Killing event if the task has finished or is already being killed. May be called any
  // number of times.
  Co<Status> Kill(std::optional<TaskEvent> event);
  // Requests a kill like Kill, but returns at once.
  void StartKill(std::optional<TaskEvent> event);
  // Returns a Killing event for this task, which contains KillTimeout().
  TaskEvent MakeKillingEvent() const;
  // Returns the task's kill timeout, limited by max_kill_timeout of the agent.
  Duration KillTimeout() const;

  // Stops the running task so that it starts again, and returns when it has stopped. If FAILURE is
  // true, the restart counts against the restart policy. Returns kFailedPrecondition, "Task not
  // running", if the task is pending or dead.
  Co<Status> Restart(TaskEvent event, bool failure);
  // Like Restart, but also starts a task that is dead or has just ended, unless it has ended for
  // good.
  Co<Status> ForceRestart(TaskEvent event, bool failure);
  // Sends a signal, given by its name, to the task. Without a live run, returns "Task not running"
  // and emits no event.
  Co<Status> Signal(TaskEvent event, std::string signal) override;
  // Holds the running task, or lets it go on. Emits an event when this has happened.
  Co<Status> Pause(bool paused);
  // Runs a command in the environment of the running task and returns its session. If the task is
  // about to start, waits up to 15 s for the start. If the task has not started by then, returns
  // the error "no driver handle".
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, ExecRequest request) override;
  Co<Result<TaskStatus>> Inspect(Context context);

  // Fails the task with REASON so that it never starts, because the allocation could not be set up.
  // Run must still be called.
  void MarkFailedKill(std::string reason);
  // Like MarkFailedKill, but for a restored task, which may be running. A running task keeps
  // running, and fails with REASON instead of its next start.
  void ForbidStart(std::string reason) { no_start_ = std::move(reason); }
  // Sets the network namespace of all later starts. Must be called before Run.
  void SetNetworkNamespace(std::string path) { location_.network_namespace = std::move(path); }
  // Sets the network of the allocation, which its environment and its hooks see. Must be called
  // before Run.
  void SetNetwork(const AllocationNetwork& network);
  // Informs the runner that the allocation will be removed. From then on the runner does not wait
  // for records that cannot be stored.
  void LetGo() { let_go_.Cancel("the allocation will be removed"); }
  // Replaces the allocation by its changed version ALLOC. Kills the task if ALLOC no longer
  // contains the task.
  void Update(std::shared_ptr<const Allocation> alloc);
  // Ends the runner at the shutdown of the agent. Leaves the task running, waits until Run has
  // returned, and then runs the shutdown hooks.
  Co<void> Shutdown();

  void EmitEvent(TaskEvent event) override;
  void RequestRestart(TaskEvent event, bool failure) override;
  void RequestKill(TaskEvent event) override;
  void RequestSignal(TaskEvent event, std::string signal) override;
  Co<Status> SaveHookData(std::string name, StringMap data) override;
  TaskLocation Location() const override { return location_; }

  const Task& task() const { return *task_; }
  const std::string& name() const { return name_; }
  // Returns the current state as an immutable object. Each change makes a new object.
  TaskSnapshot snapshot() const { return journal_.snapshot(); }
  bool running() const { return journal_.state().state == RunnerState::kRunning; }
  // Returns the state from which the next agent continues.
  const LocalState& local_state() const { return journal_.local(); }
  const std::shared_ptr<StatsCollector>& stats() const { return stats_; }

 private:
  // What Run does next.
  enum class Step {
    kNext,      // continue with the next part
    kAgain,     // continue with the wait for the start gate
    kEnd,       // the task will not start again
    kShutdown,  // the agent shuts down: leave everything as it is
  };
  struct Outcome;  // shared with the callers that wait for the end of Run

  TaskRunner(Loop* loop, TaskRunnerOptions options, std::shared_ptr<const Task> task);
  TaskJournalOptions JournalOptions(const TaskRunnerOptions& options) const;

  // Methods of the main coroutine, in task_runner.cc.
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
  bool dead() const { return journal_.state().state == RunnerState::kDead; }

  // Methods that start the task, in runner_start.cc.
  Co<Step> Prestart();
  Co<Step> StartDriver();
  Co<Status> PrepareStart(std::shared_ptr<const TaskConfig> config);
  Co<Status> TryStart(std::shared_ptr<const TaskConfig> config);
  Result<std::shared_ptr<const TaskConfig>> MakeConfig(RunId run, std::string id, bool running);
  PrepareRequest MakePrepareRequest() const;
  Result<Driver*> FindDriver() const;

  // Methods that watch, recover and destroy a run, in runner_live.cc.
  void Adopt(std::shared_ptr<const TaskConfig> config, std::optional<ExitResult> exited);
  static Co<void> WatchExit(TaskRunner* self, std::shared_ptr<LiveRun> run);
  Co<bool> RecoverLost(std::shared_ptr<LiveRun> run);
  // Returns how long the runner waits for a call of DRIVER. This is longer than LIMIT, after which
  // the driver itself ends the call.
  Duration Backstop(const Driver& driver, Duration DriverLimits::* limit) const;
  Co<Result<RecoveredTask>> AskRecover(Context context, std::shared_ptr<const TaskConfig> config);
  void Unwatch();
  Co<void> Discard(RunId run, bool kill);
  void NoteHealth(LiveRun* run);
  void HearDriver(const DriverEvent& event);
  void HearHandle(const TaskHandle& handle);
  void HearDropped(const DroppedOutput& dropped);
  static Co<void> ReportDroppedLoop(TaskRunner* self, std::shared_ptr<LiveRun> run);
  void ReportDropped(LiveRun* run);
  Co<Result<std::shared_ptr<LiveRun>>> LazyRun(Context context);

  // Methods that restore a task of an earlier agent, in runner_restore.cc.
  Co<Step> Restore();
  Co<Step> ResumeExit();
  void PrepareAsStarted();
  Co<Step> Reattach();
  Co<Result<RecoveredTask>> AwaitDriver(std::shared_ptr<const TaskConfig> config, Error first);
  bool MayComeBack(const Result<RecoveredTask>& recovered) const;
  Co<Step> GiveUpReattach(Error error);
  void ResumeWish();
  Co<Step> ResumeDelay();
  void ReportRestored();

  // Methods that stop a run, in runner_kill.cc.
  Co<void> KillTask(std::shared_ptr<LiveRun> run);
  Co<void> NoteWish(RunWish wish);
  Co<void> WaitShutdownDelay(std::shared_ptr<LiveRun> run);
  Duration StopTimeout(LiveRun* run) const;
  Co<Status> StopRun(std::shared_ptr<LiveRun> run);
  static Co<void> AskStop(TaskRunner* self, std::shared_ptr<LiveRun> run, Context context,
                          Duration timeout, std::shared_ptr<StopAnswer> answer);
  Co<Status> EnforceStop(std::shared_ptr<LiveRun> run, Context context, Duration timeout,
                         std::shared_ptr<StopAnswer> answer);

  // Methods that hear the news of a driver, in runner_news.cc.
  void HearNews(const TaskNews& news);
  static Co<void> NewsLoop(TaskRunner* self, std::shared_ptr<LiveRun> run);
  Co<void> CarryOutNews(std::shared_ptr<LiveRun> run);

  // Methods that pause a run, in runner_pause.cc.
  void NotePaused(bool paused, const std::string& why);
  Co<void> ResumeForStop(std::shared_ptr<LiveRun> run);
  Co<void> CheckPaused(std::shared_ptr<LiveRun> run);

  // Methods that handle requests from outside and call the hooks, in runner_control.cc.
  Co<Result<std::shared_ptr<LiveRun>>> PresentRun();
  Co<Status> RestartRunning(TaskEvent event, bool failure);
  static Co<void> CarryOut(std::shared_ptr<TaskRunner> self, Co<Status> request);
  static Co<void> UpdateLoop(TaskRunner* self);
  // ENDED is the run that has ended, for kExited. The hooks of other stages see the present run.
  Co<void> RunHooks(HookStage stage, Context context, std::shared_ptr<LiveRun> ended = nullptr);
  void ReportError(const Error& error) const;

  Loop* const loop_;
  const TaskServices& services_;
  const std::string name_;
  TaskLocation location_;
  StartGate* const gate_;
  const std::optional<Context> no_shutdown_delay_;
  std::shared_ptr<const Allocation> alloc_;
  std::shared_ptr<const Task> task_;

  TaskJournal journal_;
  RestartTracker tracker_;

  Context life_;      // cancelled just before Run returns
  Context kill_;      // ends when the task must be killed
  Context shutdown_;  // ends when the agent shuts down
  Context let_go_;    // ends when LetGo is called
  Event force_restart_;
  Event update_;
  Gate background_;
  std::shared_ptr<Outcome> outcome_;

  std::unique_ptr<HookChain> hooks_;
  HookChain::Prepared prepared_;  // the result of the newest prestart
  std::shared_ptr<StatsCollector> stats_;
  std::shared_ptr<LiveRun> run_;  // null while the driver has no run
  // A run that has ended, but whose end is not stored yet. Until the end is stored, only the driver
  // can report it to the next agent.
  std::shared_ptr<LiveRun> unsaved_end_;
  std::optional<std::string> no_start_;  // why the task must not start any more
};

}  // namespace drover
