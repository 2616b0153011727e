// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/alloc/alloc_dir.h"
#include "host/alloc/alloc_hook.h"
#include "host/alloc/alloc_runner.h"
#include "host/alloc/alloc_store.h"
#include "host/alloc/coordinator.h"
#include "host/alloc/hook_resources.h"
#include "host/alloc/task_verdict.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/live_count.h"
#include "host/task/task_runner.h"

namespace drover {

// The hooks that one task has in addition to the hooks of every task.
struct TaskHooks {
  std::vector<std::shared_ptr<TaskHook>> before_dir;
  std::vector<std::shared_ptr<TaskHook>> before_stats;
  std::vector<std::shared_ptr<TaskHook>> after_stats;
};

// What all allocation runners of an agent share. Every object that a pointer in this struct points
// to must outlive the runners.
struct LocalAllocEnv {
  Loop* loop = nullptr;
  std::function<std::unique_ptr<AllocDir>(const std::string& alloc_id)> make_dir;
  // If open_store is null, nothing is stored for the next agent.
  std::function<std::unique_ptr<AllocStore>(const std::string& alloc_id)> open_store;
  std::vector<AllocHookMaker> extra_hooks;  // called in this order, after the built-in hooks
  // Whether the runner itself waits for the group's shutdown_delay, after all hooks. False: one of
  // extra_hooks does.
  bool waits_shutdown_delay = true;
  std::function<TaskHooks(const Allocation&, const Task&)> make_task_hooks;  // may be null
  // Receives the errors of hooks that are only logged, because they do not affect the tasks. May be
  // null.
  std::function<void(const std::string& alloc_id, const Error& error)> report;
  TaskServices services;
};

// Runs an allocation whose tasks are run by drivers of this agent.
class LocalAllocRunner : public AllocRunner,
                         private AllocControl,
                         private TaskDirBuilder,
                         private TaskObserver,
                         public LiveCount<LocalAllocRunner> {
 public:
  static Result<std::unique_ptr<LocalAllocRunner>> Create(std::shared_ptr<const LocalAllocEnv> env,
                                                          AllocRunnerRequest request);
  // Aborts the process if a call or a coroutine of this runner is still in progress.
  ~LocalAllocRunner() override;

  const std::string& id() const override { return alloc_->id; }
  void Start() override;
  bool ended() const override { return ended_.is_set(); }
  Co<void> WaitEnded() override { return ended_.Wait(); }
  void Update(std::shared_ptr<const Allocation> alloc) override;
  void Kill() override;
  Co<Status> Destroy() override;
  Co<void> Shutdown() override;
  AllocSnapshot snapshot() const override { return snapshot_; }
  void AddObserver(AllocObserver* observer) override { observers_.push_back(observer); }
  void RemoveObserver(AllocObserver* observer) override { std::erase(observers_, observer); }
  Co<Status> RestartTask(std::string task) override;
  Co<Status> RestartRunning() override;
  Co<Status> RestartAll() override;
  Co<Status> Signal(std::string task, std::string signal) override;
  Co<Status> Pause(std::string task, bool paused) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                    ExecRequest request) override;
  Co<AllocUsage> Usage(Context context, std::string task, UsageDetail detail) override;

  // The following methods are for tests.
  const Coordinator& coordinator() const { return coordinator_; }
  const HookResources& resources() const { return resources_; }
  AllocDir* dir() { return dir_.get(); }
  TaskRunner* task(const std::string& name);  // null: no such task, or the allocation has ended

 private:
  using TaskRunners = std::vector<std::shared_ptr<TaskRunner>>;
  class Call;  // counts a call that is in progress

  LocalAllocRunner(std::shared_ptr<const LocalAllocEnv> env, const AllocRunnerRequest& request);
  Status MakeTasks(const AllocRunnerRequest& request);
  TaskRunnerOptions OptionsFor(const Task& task);

  // Methods for the life of an allocation, in local_alloc_runner.cc.
  Co<void> Run();
  Co<Status> SetUp();
  void FailStarts(const Error& error);
  Co<void> RunTasks();
  Co<void> WatchTasks();
  void HandleTaskStates();
  Co<void> WatchUpdates();
  Co<void> ApplyUpdate(std::shared_ptr<const Allocation> alloc);
  // Returns ALLOC with the network that this runner has made for it.
  std::shared_ptr<const Allocation> WithNetwork(std::shared_ptr<const Allocation> alloc) const;
  bool ShouldRun();
  // Returns the current states of the tasks. The next call changes the returned object.
  const TaskStates& States();
  AllocStatus StatusOf(const TaskStates& states) const;
  void Publish();
  AllocHookRequest HookRequestNow();
  // Runs a stage of the hooks. Calls Report with the errors, since no caller receives them.
  Co<void> RunHooks(AllocHookStage stage, Context context);
  void Report(const Status& status) const;

  // Methods that end the allocation, from the request to end it until nothing is left. They are in
  // local_alloc_end.cc.
  void BeginEnd();
  Co<void> EndTasks();
  Co<void> KillAll(TaskRunners tasks);
  static Co<void> LimitPoststop(LocalAllocRunner* self, std::shared_ptr<TaskRunner> task);
  Co<void> FinishCalls();
  void Settle();

  // Methods for requests of clients, in local_alloc_control.cc.
  Error NoRunner(const std::string& task, Error unknown) const;
  enum class RestartKind { kRunning, kAll };
  Co<Status> RestartMany(RestartKind kind, TaskEvent event, bool failure);
  Co<Status> RestartNamed(std::string task, TaskEvent event, bool failure);
  static Co<void> CarryOutRestart(LocalAllocRunner* self, std::string task, std::string reason);
  bool ending() const { return end_begun_ || shutdown_.cancelled(); }

  void RequestEnd(std::string description) override;
  void RequestRestart(std::string task, std::string reason) override;
  void SetHealth(bool healthy, std::map<std::string, std::string> messages) override;
  void SetNetwork(AllocationNetwork network) override;
  void EmitToTasks(TaskEvent event) override;
  void RequestTaskKill(TaskEvent event) override;
  Co<Status> BuildTaskDir(Context context, TaskDirRequest request) override;
  void OnTaskState(const std::string& task_name, TaskSnapshot state) override;

  Loop* const loop_;
  const std::shared_ptr<const LocalAllocEnv> env_;
  // The first version of the allocation. The group in this version decides the class of each task,
  // even after updates.
  const std::shared_ptr<const Allocation> first_;
  std::shared_ptr<const Allocation> alloc_;
  const bool restored_;
  std::map<std::string, std::string> no_start_;  // by task, the reason why it must not start

  std::shared_ptr<AllocDir> dir_;      // shared with abandoned hook calls
  std::unique_ptr<AllocStore> store_;  // may be null
  HookResources resources_;
  std::shared_ptr<Context> no_shutdown_delay_;
  AllocHookChain hooks_;
  Coordinator coordinator_;
  TaskRunners tasks_;                           // in the order of the group; empty after the end
  TaskStates states_;                           // the result of the last call of States
  std::vector<TaskSnapshot*> states_of_tasks_;  // the entry of each task in states_
  std::optional<AllocStatus> override_;         // if set, replaces the computed status
  // Set by RequestEnd. When all tasks are dead, the status is complete with this description.
  std::optional<std::string> end_description_;
  std::optional<AllocHealth> health_;
  std::optional<AllocationNetwork> network_;  // absent if the tasks use the host's network
  // What RequestRestart is restarting now: names of tasks, and "" for all running tasks.
  std::set<std::string> restarting_;

  AllocSnapshot snapshot_;
  std::vector<AllocObserver*> observers_;
  std::shared_ptr<const Allocation> queued_;  // the newest update that was not applied yet

  Context kill_;      // cancelled when the tasks must end
  Context shutdown_;  // cancelled when the agent ends
  Context updating_;  // the context of the update hooks that run now
  Event task_wake_;
  Event update_wake_;
  Event prerun_done_;
  Event over_;   // set when all tasks have ended
  Event ended_;  // set when Run has ended
  Gate workers_;
  Gate main_;
  bool started_ = false;
  bool end_begun_ = false;
  bool killing_ = false;  // true while EndTasks runs; no task may start then
  bool destroyed_ = false;

  Event idle_;  // set while no call is in progress
  int calls_ = 0;
  Event free_;  // set while neither Shutdown nor Destroy runs
};

class LocalAllocRunnerFactory : public AllocRunnerFactory {
 public:
  explicit LocalAllocRunnerFactory(LocalAllocEnv env)
      : env_(std::make_shared<const LocalAllocEnv>(std::move(env))) {}
  Result<std::unique_ptr<AllocRunner>> Make(AllocRunnerRequest request) override;

 private:
  const std::shared_ptr<const LocalAllocEnv> env_;
};

}  // namespace drover
