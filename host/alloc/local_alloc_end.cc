// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/local_alloc_runner.h"

namespace drover {
namespace {

// Keeps an event reset as long as it lives; one at a time.
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
  // The task's events contain the error already.
  [[maybe_unused]] const Status status = co_await task->Kill(task->MakeKillingEvent());
}

}  // namespace

void LocalAllocRunner::RequestEnd(std::string description) {
  if (shutdown_.cancelled() || over_.is_set()) return;
  end_description_ = std::move(description);
  // The time is over for the poststop tasks too.
  for (const auto& task : tasks_) {
    if (!IsPoststop(task->task())) continue;
    task->StartKill(task->MakeKillingEvent().With(event_key::kKillReason, *end_description_));
  }
  BeginEnd();
}

void LocalAllocRunner::BeginEnd() {
  if (end_begun_) return;
  end_begun_ = true;
  killing_ = true;  // until the end of EndTasks, which may come before Spawn returns
  workers_.Spawn(EndTasks());
  kill_.Cancel("the allocation is stopped");
}

Co<void> LocalAllocRunner::EndTasks() {
  co_await RunHooks(AllocHookStage::kPrekill, shutdown_);
  TaskRunners leader;
  TaskRunners others;
  TaskRunners sidecars;
  for (const auto& task : tasks_) {
    if (IsPoststop(task->task())) continue;  // they run when the others are dead
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
    // The agent ends, or an earlier one left it running: only the next agent can stop the task.
    if (task->snapshot()->state == RunnerState::kRunning) {
      co_return Error(Code::kUnavailable,
                      "allocation " + id() + " cannot be removed now: its task \"" + task->name() +
                          "\" still runs and this agent is shutting down",
                      true);
    }
  }
  co_await FinishCalls();
  // A shutdown of the agent interrupts this; after one, it may take its time.
  const Context context = shutdown_.cancelled() ? Context(loop_) : shutdown_;
  const AllocHookRequest request = HookRequestNow();
  DROVER_CO_TRY(co_await hooks_.Run(AllocHookStage::kDestroy, context, request));
  if (store_) DROVER_CO_TRY(co_await store_->Delete(context));
  destroyed_ = true;
  co_return Status();
}

Co<void> LocalAllocRunner::Shutdown() {
  // Before the wait for its turn: a Destroy in progress must see it.
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

// A stop lets poststop tasks take their time; a kill does not. Once its turn has come, a poststop
// task has its kill timeout for its work; then it is killed.
Co<void> LocalAllocRunner::LimitPoststop(LocalAllocRunner* self, std::shared_ptr<TaskRunner> task) {
  Context waiting = self->shutdown_.Child();
  const Subscription on_over =
      self->over_.OnSet([waiting]() mutable { waiting.Cancel("all tasks have ended"); });
  const Status turn = co_await self->coordinator_.gate(task->name())->WaitOpen(waiting);
  if (!turn.ok()) co_return;
  const Status ended = co_await Sleep(waiting, task->KillTimeout());
  if (ended.ok()) task->StartKill(task->MakeKillingEvent());
}

// Ended allocations are kept until they are collected, possibly thousands. Later requests need the
// directory, the hooks and the last snapshot, but not the objects that ran the tasks.
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
