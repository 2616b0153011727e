// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/local_alloc_runner.h"

#include <algorithm>

#include "host/alloc/hooks/alloc_dir_hook.h"
#include "host/alloc/hooks/group_shutdown_delay_hook.h"
#include "host/alloc/hooks/max_run_duration_hook.h"

namespace drover {

Result<std::unique_ptr<LocalAllocRunner>> LocalAllocRunner::Create(
    std::shared_ptr<const LocalAllocEnv> env, AllocRunnerRequest request) {
  if (request.alloc->group() == nullptr) {
    return Error(Code::kInvalidArgument,
                 "failed to lookup task group \"" + request.alloc->group_name + "\"");
  }
  std::unique_ptr<LocalAllocRunner> runner(new LocalAllocRunner(std::move(env), request));
  DROVER_TRY(runner->MakeTasks(request));
  runner->Publish();
  return runner;
}

LocalAllocRunner::LocalAllocRunner(std::shared_ptr<const LocalAllocEnv> env,
                                   const AllocRunnerRequest& request)
    : loop_(env->loop),
      env_(std::move(env)),
      first_(request.alloc),
      alloc_(request.alloc),
      restored_(request.restored.has_value()),
      dir_(env_->make_dir(alloc_->id)),
      store_(env_->open_store ? env_->open_store(alloc_->id) : nullptr),
      no_shutdown_delay_(std::make_shared<Context>(loop_)),
      coordinator_(loop_, *alloc_->group()),
      health_(request.health),
      network_(alloc_->network),
      kill_(loop_),
      shutdown_(loop_),
      updating_(loop_),
      task_wake_(loop_),
      update_wake_(loop_),
      prerun_done_(loop_),
      over_(loop_),
      ended_(loop_),
      workers_(loop_),
      main_(loop_),
      idle_(loop_),
      free_(loop_) {
  idle_.Set();
  free_.Set();
  const AllocHookEnv hook_env{loop_, &resources_, this, no_shutdown_delay_, alloc_};
  hooks_.SetNewest([this] { return alloc_; });
  hooks_.Add(std::make_unique<AllocDirHook>(dir_));
  hooks_.Add(std::make_unique<MaxRunDurationHook>(hook_env));
  for (const AllocHookMaker& make : env_->extra_hooks) {
    if (std::unique_ptr<AllocHook> hook = make(hook_env)) hooks_.Add(std::move(hook));
  }
  // The other hooks do their work before the delay.
  if (env_->waits_shutdown_delay) hooks_.Add(std::make_unique<GroupShutdownDelayHook>(hook_env));
}

LocalAllocRunner::~LocalAllocRunner() { DROVER_CHECK(calls_ == 0); }

Status LocalAllocRunner::MakeTasks(const AllocRunnerRequest& request) {
  for (const Task& task : first_->group()->tasks) {
    TaskRunnerOptions options = OptionsFor(task);
    if (restored_) {
      const auto found = request.restored->find(task.name);
      if (found != request.restored->end()) {
        options.restored = TaskRecords{found->second.state, found->second.local};
        if (!found->second.no_start.empty()) no_start_[task.name] = found->second.no_start;
      }
    }
    DROVER_ASSIGN(auto runner, TaskRunner::Create(loop_, std::move(options)));
    tasks_.push_back(std::move(runner));
    states_of_tasks_.push_back(&states_[task.name]);
  }
  return {};
}

TaskRunnerOptions LocalAllocRunner::OptionsFor(const Task& task) {
  TaskRunnerOptions options;
  options.services = &env_->services;
  options.alloc = alloc_;
  options.task_name = task.name;
  const TaskDirPaths paths = dir_->TaskPaths(task.name);
  options.location.alloc_dir = dir_->shared_path();
  options.location.task_dir = paths.dir;
  options.location.local_dir = paths.local;
  options.location.secrets_dir = paths.secrets;
  options.location.log_dir = dir_->log_path();
  options.gate = coordinator_.gate(task.name);
  options.dir_builder = this;
  options.observer = this;
  options.store = store_.get();
  options.no_shutdown_delay = *no_shutdown_delay_;
  if (env_->make_task_hooks) {
    TaskHooks hooks = env_->make_task_hooks(*alloc_, task);
    options.hooks_before_dir = std::move(hooks.before_dir);
    options.hooks_before_stats = std::move(hooks.before_stats);
    options.hooks_after_stats = std::move(hooks.after_stats);
  }
  return options;
}

void LocalAllocRunner::Start() {
  DROVER_CHECK(!started_);
  started_ = true;
  main_.Spawn(Run());
}

Co<void> LocalAllocRunner::Run() {
  if (restored_) coordinator_.Restore(States());
  workers_.Spawn(WatchUpdates());
  const Status setup = co_await SetUp();
  // If the allocation is already ending, the tasks end anyway, so an error of SetUp is only
  // reported. Otherwise the error prevents the start of the tasks.
  if (ending()) {
    Report(setup);
  } else if (!setup.ok()) {
    FailStarts(setup.error());
  }
  for (const auto& task : tasks_) {
    const auto reason = no_start_.find(task->name());
    if (reason != no_start_.end()) task->MarkFailedKill(reason->second);
  }
  for (const auto& task : tasks_) {
    task->SetNetworkNamespace(resources_.network_namespace());
    if (network_) task->SetNetwork(*network_);
  }
  prerun_done_.Set();
  task_wake_.Set();
  workers_.Spawn(WatchTasks());
  co_await RunTasks();

  HandleTaskStates();
  over_.Set();
  task_wake_.Set();
  update_wake_.Set();
  co_await workers_.Close();
  if (!shutdown_.cancelled()) co_await RunHooks(AllocHookStage::kPostrun, shutdown_);
  Publish();
  ended_.Set();
  Settle();
}

Co<Status> LocalAllocRunner::SetUp() {
  if (!ShouldRun()) {
    const auto has_ended = [](const auto& task) {
      return task.second->state == RunnerState::kDead;
    };
    if (restored_ && !std::ranges::all_of(States(), has_ended)) hooks_.Restore(HookRequestNow());
    co_return Status();
  }
  if (restored_) {
    const Status there = co_await dir_->CheckBuilt();
    if (there.code() == Code::kNotFound) {
      const Error error = there.error().WithContext("allocation directory is inaccessible");
      override_ = AllocStatus{ClientStatus::kFailed, error.message()};
      co_return error;
    }
    Report(there);
  }
  const JoinContext context(kill_, shutdown_);
  if (store_) DROVER_CO_TRY(co_await store_->Known(context.context()));
  const Status status =
      co_await hooks_.Run(AllocHookStage::kPrerun, context.context(), HookRequestNow());
  if (!status.ok()) co_return status.error().WithContext("failed to setup alloc");
  co_return Status();
}

// Handles a failed set-up. No task starts any more. Tasks that an earlier agent started keep
// running until they end.
void LocalAllocRunner::FailStarts(const Error& error) {
  const auto runs = [](const auto& task) {
    const LocalState& left = task->local_state();
    return task->snapshot()->state != RunnerState::kDead && left.run_id && !left.exit;
  };
  const bool any_runs = !override_ && std::ranges::any_of(tasks_, runs);
  for (const auto& task : tasks_) {
    if (any_runs) {
      task->ForbidStart(error.message());
    } else if (task->snapshot()->state != RunnerState::kDead) {
      task->MarkFailedKill(error.message());
    }
  }
  if (any_runs) Report(error.WithContext("running tasks keep running"));
}

Co<void> LocalAllocRunner::RunTasks() {
  std::vector<Co<void>> runs;
  // Calls Run of all tasks at the same time. Each task then waits for its turn at its start gate.
  for (const auto& task : tasks_) runs.push_back(task->Run());
  co_await InParallel(loop_, std::move(runs));
}

void LocalAllocRunner::OnTaskState(const std::string& task_name, TaskSnapshot state) {
  if (store_) store_->SaveTaskState(task_name, std::move(state));
  task_wake_.Set();
}

Co<void> LocalAllocRunner::WatchTasks() {
  while (!over_.is_set()) {
    co_await task_wake_.Wait();
    task_wake_.Reset();
    HandleTaskStates();
  }
}

void LocalAllocRunner::HandleTaskStates() {
  if (!shutdown_.cancelled()) {
    const TaskStates& states = States();
    const TaskVerdict verdict = JudgeTasks(*first_->group(), states);
    if (verdict.kill_event && !end_begun_) {
      for (const auto& task : tasks_) {
        if (!IsPoststop(task->task()) && task->snapshot()->state != RunnerState::kDead) {
          task->EmitEvent(*verdict.kill_event);
        }
      }
    }
    // The runner of a dead task waits, since a restart of the whole allocation would start the task
    // again. When the last task is dead, no such restart can come any more, so all runners must
    // end.
    if (verdict.kill_event || !verdict.any_live) BeginEnd();
    // No task may start while others are being stopped. The coordinator receives the new states
    // when the stop is complete.
    if (!killing_) coordinator_.TaskStatesChanged(states);
  }
  Publish();
}

void LocalAllocRunner::Update(std::shared_ptr<const Allocation> alloc) {
  if (ended()) return;
  const Allocation& newest = queued_ ? *queued_ : *alloc_;
  if (alloc->alloc_modify_index < newest.alloc_modify_index) return;
  queued_ = std::move(alloc);
  if (queued_->no_shutdown_delay) no_shutdown_delay_->Cancel("the shutdown delay is skipped");
  if (queued_->server_terminal()) updating_.Cancel("the allocation must stop");
  update_wake_.Set();
}

Co<void> LocalAllocRunner::WatchUpdates() {
  while (!over_.is_set()) {
    co_await update_wake_.Wait();
    update_wake_.Reset();
    if (queued_ && !over_.is_set()) co_await ApplyUpdate(std::move(queued_));
  }
}

Co<void> LocalAllocRunner::ApplyUpdate(std::shared_ptr<const Allocation> alloc) {
  // Each deployment decides on the health of its allocations anew.
  if (alloc->deployment_id != alloc_->deployment_id) health_.reset();
  alloc_ = WithNetwork(std::move(alloc));
  Publish();
  if (!alloc_->server_terminal() && !ending()) {
    updating_ = kill_.Child();
    const JoinContext context(updating_, shutdown_);
    const Status ready = co_await prerun_done_.Wait(context.context());
    if (ready.ok()) co_await RunHooks(AllocHookStage::kUpdate, context.context());
  }
  for (const auto& task : tasks_) task->Update(alloc_);
  if (alloc_->server_terminal() && !shutdown_.cancelled()) BeginEnd();
}

std::shared_ptr<const Allocation> LocalAllocRunner::WithNetwork(
    std::shared_ptr<const Allocation> alloc) const {
  if (!network_ || alloc->network == network_) return alloc;
  auto with = std::make_shared<Allocation>(*alloc);
  with->network = network_;
  return with;
}

bool LocalAllocRunner::ShouldRun() {
  return !alloc_->server_terminal() && !IsTerminal(alloc_->client_status) &&
         !IsTerminal(StatusOf(States()).status);
}

const TaskStates& LocalAllocRunner::States() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    TaskSnapshot now = tasks_[i]->snapshot();
    if (*states_of_tasks_[i] != now) *states_of_tasks_[i] = std::move(now);
  }
  return states_;
}

AllocStatus LocalAllocRunner::StatusOf(const TaskStates& states) const {
  if (override_) return *override_;
  AllocStatus status = ComputeAllocStatus(states);
  if (end_description_) {
    bool all_dead = true;
    for (const auto& [name, state] : states) {
      all_dead = all_dead && state->state == RunnerState::kDead;
    }
    if (all_dead) return {ClientStatus::kComplete, *end_description_};
  }
  return status;
}

void LocalAllocRunner::Publish() {
  const TaskStates& tasks = States();
  const AllocStatus status = StatusOf(tasks);
  const LifecyclePhase phase = coordinator_.phase();
  // Task records never change, so comparing their pointers is enough.
  if (snapshot_ && snapshot_->alloc == alloc_ && snapshot_->status == status &&
      snapshot_->phase == phase && snapshot_->health == health_ && snapshot_->tasks == tasks) {
    return;
  }
  snapshot_ = std::make_shared<AllocState>(AllocState{alloc_, status, tasks, phase, health_});
  const std::vector<AllocObserver*> observers = observers_;
  for (AllocObserver* observer : observers) observer->OnAllocState(snapshot_);
}

AllocHookRequest LocalAllocRunner::HookRequestNow() {
  AllocHookRequest request;
  request.alloc = alloc_;
  request.any_task_live = JudgeTasks(*first_->group(), States()).any_live;
  return request;
}

Co<void> LocalAllocRunner::RunHooks(AllocHookStage stage, Context context) {
  Report(co_await hooks_.Run(stage, context, HookRequestNow()));
}

void LocalAllocRunner::Report(const Status& status) const {
  // The interruption of a hook is no failure.
  if (status.ok() || status.code() == Code::kCancelled) return;
  if (env_->report) env_->report(id(), status.error());
}

Co<Status> LocalAllocRunner::BuildTaskDir(Context, TaskDirRequest request) {
  const std::shared_ptr<AllocDir> dir = dir_;  // the runner may be deleted before BuildTask ends
  co_return co_await dir->BuildTask(std::move(request));
}

Result<std::unique_ptr<AllocRunner>> LocalAllocRunnerFactory::Make(AllocRunnerRequest request) {
  DROVER_ASSIGN(std::unique_ptr<AllocRunner> runner,
                LocalAllocRunner::Create(env_, std::move(request)));
  return runner;
}

}  // namespace drover
