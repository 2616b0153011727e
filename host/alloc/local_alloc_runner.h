// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
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

// Hooks of one task in addition to those of every task.
struct TaskHooks {
  std::vector<std::shared_ptr<TaskHook>> before_stats;
  std::vector<std::shared_ptr<TaskHook>> after_stats;
};

// Shared by the allocation runners of an agent. Everything it points to outlives them.
struct LocalAllocEnv {
  Loop* loop = nullptr;
  std::function<std::unique_ptr<AllocDir>(const std::string& alloc_id)> make_dir;
  // Null: nothing is stored for the next agent.
  std::function<std::unique_ptr<AllocStore>(const std::string& alloc_id)> open_store;
  std::vector<AllocHookMaker> extra_hooks;  // in this order, after the built-in ones
  std::function<TaskHooks(const Allocation&, const Task&)> make_task_hooks;  // may be null
  // Receives errors of hooks that do not affect the tasks and are only worth a line in the log. May
  // be null.
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
  // Aborts if anything of it still runs.
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
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                    ExecRequest request) override;
  Co<AllocUsage> Usage(Context context, std::string task, UsageDetail detail) override;

  // For tests.
  const Coordinator& coordinator() const { return coordinator_; }
  const HookResources& resources() const { return resources_; }
  AllocDir* dir() { return dir_.get(); }
  TaskRunner* task(const std::string& name);  // null: no such task, or the allocation has ended

 private:
  using TaskRunners = std::vector<std::shared_ptr<TaskRunner>>;
  class Call;  // counts a caller that is inside

  LocalAllocRunner(std::shared_ptr<const LocalAllocEnv> env, const AllocRunnerRequest& request);
  Status MakeTasks(const AllocRunnerRequest& request);
  TaskRunnerOptions OptionsFor(const Task& task);

  // local_alloc_runner.cc: the life of an allocation.
  Co<void> Run();
  Co<Status> SetUp();
  void FailStarts(const Error& error);
  Co<void> RunTasks();
  Co<void> WatchTasks();
  void HandleTaskStates();
  Co<void> WatchUpdates();
  Co<void> ApplyUpdate(std::shared_ptr<const Allocation> alloc);
  bool ShouldRun();
  // The present states of the tasks; the next call changes the result.
  const TaskStates& States();
  AllocStatus StatusOf(const TaskStates& states) const;
  void Publish();
  AllocHookRequest HookRequestNow();
  // Runs a stage and reports its errors, which nobody else receives.
  Co<void> RunHooks(AllocHookStage stage, Context context);
  void Report(const Status& status) const;

  // local_alloc_end.cc: from the request to end it until nothing is left.
  void BeginEnd();
  Co<void> EndTasks();
  Co<void> KillAll(TaskRunners tasks);
  static Co<void> LimitPoststop(LocalAllocRunner* self, std::shared_ptr<TaskRunner> task);
  Co<void> FinishCalls();
  void Settle();

  // local_alloc_control.cc: requests of clients.
  Error NoRunner(const std::string& task, Error unknown) const;
  enum class RestartKind { kRunning, kAll };
  Co<Status> RestartMany(RestartKind kind);
  bool ending() const { return end_begun_ || shutdown_.cancelled(); }

  void RequestEnd(std::string description) override;
  Co<Status> BuildTaskDir(Context context, TaskDirRequest request) override;
  void OnTaskState(const std::string& task_name, TaskSnapshot state) override;

  Loop* const loop_;
  const std::shared_ptr<const LocalAllocEnv> env_;
  // The first version. Its group classes the tasks, whatever updates bring.
  const std::shared_ptr<const Allocation> first_;
  std::shared_ptr<const Allocation> alloc_;
  const bool restored_;
  std::map<std::string, std::string> no_start_;  // by task: the reason

  std::shared_ptr<AllocDir> dir_;      // shared with hooks that were left behind
  std::unique_ptr<AllocStore> store_;  // may be null
  HookResources resources_;
  std::shared_ptr<Context> no_shutdown_delay_;
  AllocHookChain hooks_;
  Coordinator coordinator_;
  TaskRunners tasks_;  // in the order of the group; empty once it has ended for good
  TaskStates states_;  // as of the last call of States
  std::vector<TaskSnapshot*> states_of_tasks_;  // each task's place in STATES_
  std::optional<AllocStatus> override_;         // the allocation failed, whatever its tasks say
  std::optional<std::string> end_description_;  // complete with this when all are dead

  AllocSnapshot snapshot_;
  std::vector<AllocObserver*> observers_;
  std::shared_ptr<const Allocation> queued_;  // the newest update that was not applied yet

  Context kill_;      // the tasks must end
  Context shutdown_;  // the agent ends
  Context updating_;  // ends the update hooks that run now
  Event task_wake_;
  Event update_wake_;
  Event prerun_done_;
  Event over_;   // all tasks have ended
  Event ended_;  // Run has ended
  Gate workers_;
  Gate main_;
  bool started_ = false;
  bool end_begun_ = false;
  bool killing_ = false;  // while EndTasks runs, no task may start
  bool destroyed_ = false;

  Event idle_;  // set while no caller is inside
  int calls_ = 0;
  Event free_;  // set while neither Shutdown nor Destroy runs
};

// Makes local runners.
class LocalAllocRunnerFactory : public AllocRunnerFactory {
 public:
  explicit LocalAllocRunnerFactory(LocalAllocEnv env)
      : env_(std::make_shared<const LocalAllocEnv>(std::move(env))) {}
  Result<std::unique_ptr<AllocRunner>> Make(AllocRunnerRequest request) override;

 private:
  const std::shared_ptr<const LocalAllocEnv> env_;
};

}  // namespace drover
