// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/minimal_alloc_runner.h"

#include <utility>

namespace drover {

MinimalAllocRunner::MinimalAllocRunner(Loop* loop, std::shared_ptr<const Allocation> alloc)
    : loop_(loop), alloc_(std::move(alloc)), ended_(loop) {
  for (const Task& task : alloc_->group()->tasks) {
    tasks_[task.name] = std::make_shared<const TaskStateRecord>();
  }
  Publish();
}

void MinimalAllocRunner::Start() {
  started_ = true;
  if (stopped()) return StopAll();
  for (const Task& task : alloc_->group()->tasks) Change(task.name, RunnerState::kRunning);
}

void MinimalAllocRunner::StartEnded(TaskStates tasks) {
  started_ = true;
  tasks_ = std::move(tasks);
  Publish();
  ended_.Set();
}

void MinimalAllocRunner::Update(std::shared_ptr<const Allocation> alloc) {
  if (ended() || alloc->alloc_modify_index < alloc_->alloc_modify_index) return;
  alloc_ = std::move(alloc);
  Publish();
  if (started_ && stopped()) StopAll();
}

Co<Status> MinimalAllocRunner::Destroy() {
  Kill();
  co_return Status();
}

Co<void> MinimalAllocRunner::Shutdown() {
  ended_.Set();
  co_return;
}

Co<Status> MinimalAllocRunner::RestartTask(std::string task) {
  if (stopped()) {
    co_return Error(Code::kFailedPrecondition, "restart of an alloc that should not run");
  }
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) {
    co_return Error(Code::kNotFound, "Could not find task runner for task: " + task);
  }
  if (found->second->state != RunnerState::kRunning) {
    co_return Error(Code::kFailedPrecondition, "Task not running");
  }
  Change(task, RunnerState::kRunning, true);
  co_return Status();
}

Co<Status> MinimalAllocRunner::RestartRunning() {
  if (!started_ || ended() || stopped()) {
    co_return Error(Code::kFailedPrecondition, "restart of an alloc that should not run");
  }
  for (const Task& task : alloc_->group()->tasks) Change(task.name, RunnerState::kRunning, true);
  co_return Status();
}

Co<Status> MinimalAllocRunner::RestartAll() { return RestartRunning(); }

Co<Status> MinimalAllocRunner::Pause(std::string, bool) {
  co_return Error(Code::kUnimplemented, "this runner cannot pause tasks");
}

Co<Status> MinimalAllocRunner::Signal(std::string task, std::string) {
  if (task.empty()) co_return Status();
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) co_return Error(Code::kNotFound, "Task not found");
  if (found->second->state != RunnerState::kRunning) {
    co_return Error(Code::kFailedPrecondition, "Task not running");
  }
  co_return Status();
}

Co<Result<std::unique_ptr<TaskExecSession>>> MinimalAllocRunner::Exec(Context, std::string task,
                                                                      ExecRequest) {
  if (!tasks_.count(task)) co_return Error(Code::kNotFound, "unknown task name \"" + task + "\"");
  co_return Error(Code::kUnimplemented, "there is nothing to run a command in");
}

Co<AllocUsage> MinimalAllocRunner::Usage(Context, std::string, UsageDetail) {
  co_return AllocUsage();
}

void MinimalAllocRunner::End(bool failed) {
  if (ended()) return;
  if (failed) {
    for (auto& [name, task] : tasks_) {
      auto record = std::make_shared<TaskStateRecord>(*task);
      record->failed = true;
      task = std::move(record);
    }
  }
  StopAll();
}

void MinimalAllocRunner::Judge(bool healthy) {
  health_ = AllocHealth{healthy, loop_->Wall()};
  Publish();
}

void MinimalAllocRunner::Change(const std::string& task, RunnerState state, bool restarted) {
  auto record = std::make_shared<TaskStateRecord>(*tasks_.at(task));
  ChangeTaskState(record.get(), state, loop_->Wall());
  if (restarted) ++record->restarts;
  tasks_[task] = std::move(record);
  Publish();
}

void MinimalAllocRunner::StopAll() {
  if (ended()) return;
  for (const auto& [name, state] : TaskStates(tasks_)) Change(name, RunnerState::kDead);
  ended_.Set();
}

bool MinimalAllocRunner::stopped() const { return alloc_->server_terminal(); }

void MinimalAllocRunner::Publish() {
  auto state = std::make_shared<AllocState>();
  state->alloc = alloc_;
  state->tasks = tasks_;
  state->status = ComputeAllocStatus(tasks_);
  state->health = health_;
  snapshot_ = std::move(state);
  for (AllocObserver* observer : observers_) observer->OnAllocState(snapshot_);
}

}  // namespace drover
