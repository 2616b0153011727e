// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/co.h"
#include "host/base/loop.h"
#include "host/task/local_state.h"
#include "host/task/restart_tracker.h"
#include "host/task/task_seams.h"
#include "host/task/task_state.h"

namespace drover {

// The records from which the next agent continues a task.
struct TaskRecords {
  TaskStateRecord state;
  LocalState local;
};

struct TaskJournalOptions {
  std::string task_name;
  LocalStateStore* store = nullptr;  // not owned; null: nothing is stored
  TaskObserver* observer = nullptr;  // not owned; may be null
  Duration save_timeout = 30s;
  std::function<void(const Error&)> report;  // receives the errors of SaveOrReport
};

// Owns the records of one task. Clients see the state, so each change of the state is published at
// once. The local state is only for the next agent. A change of the local state survives a
// death of the agent when Save has returned. The runner decides which of its steps must wait for
// Save. Control thread only.
class TaskJournal {
 public:
  // Continues from the records of an earlier agent, or creates the records of a new task.
  TaskJournal(Loop* loop, TaskJournalOptions options, std::optional<TaskRecords> restored);
  TaskJournal(const TaskJournal&) = delete;
  TaskJournal& operator=(const TaskJournal&) = delete;

  // Whether the records came from an earlier agent.
  bool restored() const { return restored_; }

  const TaskStateRecord& state() const { return state_; }
  // The current state as an immutable object. Each change makes a new object.
  TaskSnapshot snapshot() const { return snapshot_; }
  void Emit(TaskEvent event);
  void SetState(RunnerState state);
  void SetState(RunnerState state, TaskEvent event);
  void SetPaused(bool paused, TaskEvent event);
  void SetUnhealthy(bool unhealthy, TaskEvent event);
  // Passes the current state to the observer.
  void Publish();
  // Whether an event of TYPE was emitted since the last start, perhaps by an earlier agent.
  bool HasReported(std::string_view type) const;
  bool LastReported(std::string_view type) const;  // whether the last event is of TYPE
  // The attempts that the restart policy has counted. A change is published with the next event.
  RestartTracker::Counted attempts() const;
  void SetAttempts(const RestartTracker::Counted& counted);

  const LocalState& local() const { return local_; }
  std::map<std::string, HookState>* hooks() { return &local_.hooks; }
  // Records that the run of CONFIG is about to start.
  void BeginRun(std::shared_ptr<const TaskConfig> config);
  void SetConfig(std::shared_ptr<const TaskConfig> config) { local_.config = std::move(config); }
  void SetHandle(TaskHandle handle) { local_.handle = std::move(handle); }
  void SetNetwork(std::optional<DriverNetwork> network) { local_.network = std::move(network); }
  // Records that the run must end as WISH says. Clears an earlier request and its progress.
  void SetWish(RunWish wish);
  void BeginShutdownDelay(Duration delay) { local_.delay_until = loop_->Now() + delay; }
  void BeginStop() { local_.stop_since = loop_->Now(); }
  void SetExit(ExitResult exit) { local_.exit = std::move(exit); }
  // Clears all data of the run. Call ForgetRun when the run was destroyed or never started.
  void ForgetRun();
  void SetComplete() { local_.run_complete = true; }

  // Stores a copy of the local state. Returns when the copy would survive a death of the agent, or
  // with an error after LIMIT. Without LIMIT, TaskJournalOptions::save_timeout applies.
  Co<Status> Save() { return Save(options_.save_timeout); }
  Co<Status> Save(Duration limit);
  Co<void> SaveOrReport() { return SaveOrReport(options_.save_timeout); }
  Co<void> SaveOrReport(Duration limit);

 private:
  void ChangeState(RunnerState state);

  Loop* const loop_;
  const TaskJournalOptions options_;
  const bool restored_;
  TaskStateRecord state_;
  LocalState local_;
  TaskSnapshot snapshot_;
};

}  // namespace drover
