// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/local_alloc_runner.h"

namespace drover {
namespace {

// Keeps the event FREE reset as long as the object lives. At most one Turn may exist for an event.
class Turn {
 public:
  explicit Turn(Event* free) : free_(free) { free_->Reset(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { free_->Set(); }

 private:
  Event* const free_;
};

Co<void> KillOne(std::shared_ptr<TaskRunner> task) {
  // The task's events already contain the error.
  [[maybe_unused]] const Status status = co_await task->Kill(task->MakeKillingEvent());
}

}  // namespace

void LocalAllocRunner::RequestEnd(std::string description) {
  if (shutdown_.cancelled() || over_.is_set()) return;
  end_description_ = std::move(description);
  // The allocation must end now, so its poststop tasks are killed, too.
  for (const auto& task : tasks_) {
    if (!IsPoststop(task->task())) continue;
    task->StartKill(task->MakeKillingEvent().With(event_key::kKillReason, *end_description_));
  }
  BeginEnd();
}

void LocalAllocRunner::BeginEnd() {
  if (end_begun_) return;
  end_begun_ = true;
  killing_ = true;  // EndTasks resets it, perhaps before Spawn returns
  workers_.Spawn(EndTasks());
  kill_.Cancel("the allocation is stopped");
}

Co<void> LocalAllocRunner::EndTasks() {
  co_await RunHooks(AllocHookStage::kPrekill, shutdown_);
  TaskRunners leader;
  TaskRunners others;
  TaskRunners sidecars;
  for (const auto& task : tasks_) {
    if (IsPoststop(task->task())) continue;  // poststop tasks run when the others are dead
    if (task->task().leader) {
      leader.push_back(task);
    } else if (IsSidecar(task->task())) {
      sidecars.push_back(task);
    } else {
      others.push_back(task);
    }
  }
  co_await KillAll(std::move(leader));
  co_await KillAll(std::move(others));
  co_await KillAll(std::move(sidecars));
  killing_ = false;
  task_wake_.Set();
}

Co<void> LocalAllocRunner::KillAll(TaskRunners tasks) {
  if (shutdown_.cancelled()) co_return;  // running tasks continue without this agent
  std::vector<Co<void>> kills;
  for (const auto& task : tasks) kills.push_back(KillOne(task));
  co_await InParallel(loop_, std::move(kills));
}

void LocalAllocRunner::Kill() {
  if (!started_ || shutdown_.cancelled()) return;
  BeginEnd();
  for (const auto& task : tasks_) {
    if (IsPoststop(task->task())) workers_.Spawn(LimitPoststop(this, task));
  }
}

Co<Status> LocalAllocRunner::Destroy() {
  while (!free_.is_set()) co_await free_.Wait();
  const Turn turn(&free_);
  if (destroyed_) co_return Status();
  if (started_ && !shutdown_.cancelled()) {
    Kill();
    for (const auto& task : tasks_) task->LetGo();
    co_await ended_.Wait();
  }
  for (const auto& task : tasks_) {
    // The task still runs because this agent is ending, or because an earlier agent left it
    // running. Only the next agent can stop it.
    if (task->snapshot()->state == RunnerState::kRunning) {
      co_return Error(Code::kUnavailable,
                      "allocation " + id() + " cannot be removed now: its task \"" + task->name() +
                          "\" still runs and this agent is shutting down",
                      true);
    }
  }
  co_await FinishCalls();
  // If the agent begins to shut down after this line, the shutdown interrupts the rest of Destroy.
  // If the agent is shutting down already, the rest needs a context that is not cancelled.
  // Otherwise it could not run at all.
  const Context context = shutdown_.cancelled() ? Context(loop_) : shutdown_;
  const AllocHookRequest request = HookRequestNow();
  DROVER_CO_TRY(co_await hooks_.Run(AllocHookStage::kDestroy, context, request));
  if (store_) DROVER_CO_TRY(co_await store_->Delete(context));
  destroyed_ = true;
  co_return Status();
}

Co<void> LocalAllocRunner::Shutdown() {
  // Shutdown cancels this context before it waits for a Destroy in progress, so that the Destroy
  // is interrupted.
  shutdown_.Cancel("the agent is shutting down");
  coordinator_.Shutdown();
  std::vector<Co<void>> shutdowns;
  if (started_) {
    for (const auto& task : tasks_) {
      if (!task->ended()) shutdowns.push_back(task->Shutdown());
    }
  }
  co_await InParallel(loop_, std::move(shutdowns));
  while (!free_.is_set()) co_await free_.Wait();
  const Turn turn(&free_);
  if (started_) co_await ended_.Wait();
  co_await FinishCalls();
  const Context context(loop_);
  co_await RunHooks(AllocHookStage::kShutdown, context);
}

// Kills the poststop task TASK after its kill timeout, counted from the time when its turn comes.
// Only a kill of the allocation limits poststop tasks in this way. After a normal stop, poststop
// tasks may take any time.
Co<void> LocalAllocRunner::LimitPoststop(LocalAllocRunner* self, std::shared_ptr<TaskRunner> task) {
  Context waiting = self->shutdown_.Child();
  const Subscription on_over =
      self->over_.OnSet([waiting]() mutable { waiting.Cancel("all tasks have ended"); });
  const Status turn = co_await self->coordinator_.gate(task->name())->WaitOpen(waiting);
  if (!turn.ok()) co_return;
  const Status ended = co_await Sleep(waiting, task->KillTimeout());
  if (ended.ok()) task->StartKill(task->MakeKillingEvent());
}

// Frees the objects that ran the tasks. Ended allocations are kept until they are collected,
// possibly thousands of them. Later requests need only the directory, the hooks and the last
// snapshot.
void LocalAllocRunner::Settle() {
  if (!ended() || shutdown_.cancelled() || calls_ > 0) return;
  tasks_.clear();
  states_of_tasks_.clear();
  no_start_.clear();
  queued_ = nullptr;
  coordinator_.Forget();
}

Co<void> LocalAllocRunner::FinishCalls() {
  co_await main_.Join();
  while (calls_ > 0) co_await idle_.Wait();
}

}  // namespace drover
