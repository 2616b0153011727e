// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_journal.h"

#include <algorithm>

namespace drover {

TaskJournal::TaskJournal(Loop* loop, TaskJournalOptions options,
                         std::optional<TaskRecords> restored)
    : loop_(loop), options_(std::move(options)), restored_(restored.has_value()) {
  if (restored) {
    state_ = std::move(restored->state);
    local_ = std::move(restored->local);
  } else {
    SetAttempts(attempts());
    AppendTaskEvent(&state_, TaskEvent(event_type::kReceived), loop_->Wall());
  }
  snapshot_ = std::make_shared<const TaskStateRecord>(state_);
}

void TaskJournal::Emit(TaskEvent event) {
  AppendTaskEvent(&state_, std::move(event), loop_->Wall());
  Publish();
}

void TaskJournal::SetState(RunnerState state) {
  ChangeState(state);
  Publish();
}

void TaskJournal::SetState(RunnerState state, TaskEvent event) {
  ChangeState(state);
  Emit(std::move(event));
}

// Changes the state. If the task is dead now, its end time is the time of its exit, because the
// runner may notice the exit late.
void TaskJournal::ChangeState(RunnerState state) {
  const bool end_is_known =
      state == RunnerState::kDead && local_.exit && local_.exit->ended_at != 0;
  ChangeTaskState(&state_, state, end_is_known ? local_.exit->ended_at : loop_->Wall());
}

void TaskJournal::SetPaused(bool paused, TaskEvent event) {
  state_.paused = paused;
  Emit(std::move(event));
}

void TaskJournal::SetUnhealthy(bool unhealthy, TaskEvent event) {
  state_.unhealthy = unhealthy;
  Emit(std::move(event));
}

void TaskJournal::Publish() {
  snapshot_ = std::make_shared<const TaskStateRecord>(state_);
  if (options_.observer != nullptr) options_.observer->OnTaskState(options_.task_name, snapshot_);
}

bool TaskJournal::HasReported(std::string_view type) const {
  for (auto event = state_.events.rbegin(); event != state_.events.rend(); ++event) {
    const TaskEvent& reported = *event;
    if (reported.type == type) return true;
    if (reported.type == event_type::kStarted) break;
  }
  return false;
}

bool TaskJournal::LastReported(std::string_view type) const {
  return !state_.events.empty() && state_.events.back()->type == type;
}

// The record contains wall time, which the next agent can use even after a reboot. If the wall
// clock was set since the record was made, the current interval gets shorter or longer. But the
// interval never begins in the future.
RestartTracker::Counted TaskJournal::attempts() const {
  if (state_.attempts_since == 0) return {0, loop_->Now()};
  const Duration age(std::max<WallTime>(0, loop_->Wall() - state_.attempts_since));
  return {state_.attempts, loop_->Now() - age};
}

void TaskJournal::SetAttempts(const RestartTracker::Counted& counted) {
  state_.attempts = counted.count;
  state_.attempts_since = loop_->Wall() - (loop_->Now() - counted.interval_start).count();
}

void TaskJournal::BeginRun(std::shared_ptr<const TaskConfig> config) {
  local_.run_id = config->run_id;
  local_.task_config_id = config->id;
  local_.mounts = config->mounts;
  local_.devices = config->devices;
  local_.device_env = config->device_env;
  local_.config = std::move(config);
  local_.handle.reset();
  local_.exit.reset();
}

void TaskJournal::SetWish(RunWish wish) {
  local_.wish = wish;
  local_.delay_until.reset();
  local_.stop_since.reset();
}

void TaskJournal::ForgetRun() {
  local_.run_id.reset();
  local_.task_config_id.clear();
  local_.config = nullptr;
  local_.mounts.clear();
  local_.devices.clear();
  local_.device_env.clear();
  local_.handle.reset();
  local_.exit.reset();
  SetWish(RunWish::kNone);
}

Co<Status> TaskJournal::Save(Duration limit) {
  if (options_.store == nullptr) co_return Status();
  const Context context = Context(loop_).WithTimeout(limit);
  auto copy = std::make_shared<const LocalState>(local_);
  co_return co_await options_.store->SaveLocalState(context, options_.task_name, std::move(copy));
}

Co<void> TaskJournal::SaveOrReport(Duration limit) {
  const Status saved = co_await Save(limit);
  if (!saved.ok() && options_.report) options_.report(saved.error());
}

}  // namespace drover
