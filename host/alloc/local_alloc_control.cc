// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/alloc/local_alloc_runner.h"
#include "host/alloc/usage_sum.h"

namespace drover {
namespace {

const Error& ShouldNotRunError() {
  static const Error* const error =
      new Error(Code::kFailedPrecondition, "restart of an alloc that should not run");
  return *error;
}

TaskEvent RestartEvent(std::string_view reason) {
  return TaskEvent(event_type::kRestartSignaled).With(event_key::kRestartReason, reason);
}

struct RestartErrors {
  std::vector<Error> errors;
  std::vector<std::string> tasks;  // the tasks that were not restarted
};

Co<void> RestartOne(std::shared_ptr<TaskRunner> task, TaskEvent event, bool force, bool failure,
                    RestartErrors* failed) {
  Status status;
  if (force) {
    status = co_await task->ForceRestart(std::move(event), failure);
  } else {
    status = co_await task->Restart(std::move(event), failure);
  }
  if (status.ok()) co_return;
  failed->tasks.push_back(task->name());
  // The task does not run, so there is nothing to restart.
  if (status.code() == Code::kFailedPrecondition) co_return;
  failed->errors.push_back(status.error().WithContext("failed to restart task " + task->name()));
}

// The error of a request for a task of an allocation that has ended.
Error NotRunning() { return {Code::kFailedPrecondition, "Task not running"}; }

Error NotSignalled(const std::string& task, const Error& error) {
  return {error.code(), "Failed to signal task: " + task + ", err: " + error.message()};
}

Co<void> SignalOne(std::shared_ptr<TaskRunner> task, TaskEvent event, std::string signal,
                   std::vector<Error>* errors) {
  const Status status = co_await task->Signal(std::move(event), std::move(signal));
  if (!status.ok()) errors->push_back(NotSignalled(task->name(), status.error()));
}

Co<void> PauseOne(std::shared_ptr<TaskRunner> task, bool paused, std::vector<Error>* errors) {
  const Status status = co_await task->Pause(paused);
  if (!status.ok()) errors->push_back(status.error().WithContext("task " + task->name()));
}

using Samples = std::vector<std::pair<std::string, StatsCollector::Sample>>;

Co<void> LookAt(Context context, std::shared_ptr<TaskRunner> task, UsageDetail detail,
                Samples* samples) {
  const auto sample = co_await task->stats()->Look(context, detail);
  if (sample.ok() && *sample) samples->emplace_back(task->name(), *sample);
}

}  // namespace

class LocalAllocRunner::Call {
 public:
  explicit Call(LocalAllocRunner* runner) : runner_(runner) {
    ++runner_->calls_;
    runner_->idle_.Reset();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (--runner_->calls_ > 0) return;
    runner_->idle_.Set();
    runner_->Settle();
  }

 private:
  LocalAllocRunner* const runner_;
};

// Returns the error of a request for TASK when no runner for TASK exists. If the group has no such
// task, the error is UNKNOWN. Otherwise the allocation has ended for good, and its tasks have no
// runners any more.
Error LocalAllocRunner::NoRunner(const std::string& task, Error unknown) const {
  if (FindTask(*first_->group(), task) == nullptr) return unknown;
  return NotRunning();
}

TaskRunner* LocalAllocRunner::task(const std::string& name) {
  for (const auto& task : tasks_) {
    if (task->name() == name) return task.get();
  }
  return nullptr;
}

Co<Status> LocalAllocRunner::RestartTask(std::string task) {
  return RestartNamed(std::move(task), RestartEvent("User requested task to restart"), false);
}

Co<Status> LocalAllocRunner::RestartNamed(std::string task, TaskEvent event, bool failure) {
  const Call call(this);
  if (alloc_->server_terminal() || IsTerminal(alloc_->client_status)) {
    co_return ShouldNotRunError();
  }
  TaskRunner* const runner = this->task(task);
  if (runner == nullptr) {
    const Error unknown(Code::kNotFound, "Could not find task runner for task: " + task);
    co_return NoRunner(task, unknown);
  }
  co_return co_await runner->Restart(std::move(event), failure);
}

Co<Status> LocalAllocRunner::RestartRunning() {
  return RestartMany(RestartKind::kRunning, RestartEvent("User requested running tasks to restart"),
                     false);
}

Co<Status> LocalAllocRunner::RestartAll() {
  return RestartMany(RestartKind::kAll, RestartEvent("User requested all tasks to restart"), false);
}

void LocalAllocRunner::RequestRestart(std::string task, std::string reason) {
  if (!started_ || ending() || !restarting_.insert(task).second) return;
  // The restart may have ended before Spawn returns.
  if (!workers_.Spawn(CarryOutRestart(this, task, std::move(reason)))) restarting_.erase(task);
}

Co<void> LocalAllocRunner::CarryOutRestart(LocalAllocRunner* self, std::string task,
                                           std::string reason) {
  TaskEvent event = RestartEvent(reason);
  Status status;
  if (task.empty()) {
    status = co_await self->RestartMany(RestartKind::kRunning, std::move(event), true);
  } else {
    status = co_await self->RestartNamed(task, std::move(event), true);
  }
  self->restarting_.erase(task);
  // A task that does not run any more needs no restart.
  if (status.ok() || status.code() == Code::kFailedPrecondition) co_return;
  self->Report(status.error().WithContext(reason));
}

void LocalAllocRunner::SetHealth(bool healthy, std::map<std::string, std::string> messages) {
  if (health_ || destroyed_) return;
  health_ = AllocHealth{healthy, loop_->Wall()};
  for (const auto& task : tasks_) {
    const auto message = messages.find(task->name());
    if (message == messages.end()) continue;
    task->EmitEvent(TaskEvent(event_type::kAllocUnhealthy).Message(message->second));
  }
  Publish();
}

void LocalAllocRunner::SetNetwork(AllocationNetwork network) {
  network_ = std::move(network);
  alloc_ = WithNetwork(std::move(alloc_));
  Publish();
}

void LocalAllocRunner::EmitToTasks(TaskEvent event) {
  for (const auto& task : tasks_) {
    if (task->running()) task->EmitEvent(event);
  }
}

void LocalAllocRunner::RequestTaskKill(TaskEvent event) {
  for (const auto& task : tasks_) {
    if (!IsPoststop(task->task())) task->StartKill(event);
  }
}

Co<Status> LocalAllocRunner::RestartMany(RestartKind kind, TaskEvent event, bool failure) {
  const Call call(this);
  if (!started_ || ending() || !ShouldRun()) co_return ShouldNotRunError();
  RestartErrors failed;
  {
    const JoinContext context(kill_, shutdown_);
    const Status status =
        co_await hooks_.Run(AllocHookStage::kPreTaskRestart, context.context(), HookRequestNow());
    if (ending() || !ShouldRun()) co_return ShouldNotRunError();
    if (!status.ok()) failed.errors.push_back(status.error());
  }
  const bool all = kind == RestartKind::kAll;
  // Closes all gates first, so that each task waits for its turn again.
  if (all) coordinator_.Restart();
  std::vector<Co<void>> restarts;
  for (const auto& task : tasks_) {
    if (IsPoststop(task->task()) || (!all && !task->running())) continue;
    restarts.push_back(RestartOne(task, event, all, failure, &failed));
  }
  co_await InParallel(loop_, std::move(restarts));
  for (const std::string& name : failed.tasks) coordinator_.LeaveOut(name);
  // If all tasks were pending before the restart, no task has reported a change. So this line
  // wakes WatchTasks in any case.
  task_wake_.Set();
  co_return JoinErrors(std::move(failed.errors));
}

Co<Status> LocalAllocRunner::Signal(std::string task, std::string signal) {
  const Call call(this);
  const TaskEvent event = TaskEvent(event_type::kSignaling).With(event_key::kSignal, signal);
  if (!task.empty()) {
    TaskRunner* const runner = this->task(task);
    const Error unknown(Code::kNotFound, "Task not found");
    if (runner == nullptr) co_return NoRunner(task, unknown);
    co_return co_await runner->Signal(event, signal);
  }
  std::vector<Error> errors;
  std::vector<Co<void>> signals;
  for (const auto& one : tasks_) signals.push_back(SignalOne(one, event, signal, &errors));
  if (tasks_.empty()) {
    for (const Task& one : first_->group()->tasks)
      errors.push_back(NotSignalled(one.name, NotRunning()));
  }
  co_await InParallel(loop_, std::move(signals));
  co_return JoinErrors(std::move(errors));
}

Co<Status> LocalAllocRunner::Pause(std::string task, bool paused) {
  const Call call(this);
  if (!task.empty()) {
    TaskRunner* const runner = this->task(task);
    const Error unknown(Code::kNotFound, "Task not found");
    if (runner == nullptr) co_return NoRunner(task, unknown);
    co_return co_await runner->Pause(paused);
  }
  std::vector<Error> errors;
  std::vector<Co<void>> pauses;
  for (const auto& one : tasks_) {
    if (one->running()) pauses.push_back(PauseOne(one, paused, &errors));
  }
  if (pauses.empty()) co_return NotRunning();
  co_await InParallel(loop_, std::move(pauses));
  co_return JoinErrors(std::move(errors));
}

Co<Result<std::unique_ptr<TaskExecSession>>> LocalAllocRunner::Exec(Context context,
                                                                    std::string task,
                                                                    ExecRequest request) {
  const Call call(this);
  TaskRunner* const runner = this->task(task);
  if (runner == nullptr) {
    const Error unknown(Code::kNotFound, "unknown task name \"" + task + "\"");
    co_return NoRunner(task, unknown);
  }
  const JoinContext either(context, shutdown_);
  co_return co_await runner->Exec(either.context(), std::move(request));
}

Co<AllocUsage> LocalAllocRunner::Usage(Context context, std::string task, UsageDetail detail) {
  const Call call(this);
  const JoinContext either(context, shutdown_);
  Samples samples;
  std::vector<Co<void>> looks;
  for (const auto& one : tasks_) {
    if (!one->running() || (!task.empty() && one->name() != task)) continue;
    looks.push_back(LookAt(either.context(), one, detail, &samples));
  }
  co_await InParallel(loop_, std::move(looks));
  AllocUsage usage;
  for (const auto& [name, sample] : samples) {
    usage.tasks[name] = sample;
    AddUsage(&usage.total, sample->total);
    usage.timestamp = std::max(usage.timestamp, sample->timestamp);
  }
  co_return usage;
}

}  // namespace drover
