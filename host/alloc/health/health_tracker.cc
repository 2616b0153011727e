// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/health/health_tracker.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

// Returns the state of TASK, or null if its end or its absence has no meaning for the health.
const TaskStateRecord* Considered(const Task& task, const AllocState& state) {
  if (IsPoststop(task)) return nullptr;
  const auto found = state.tasks.find(task.name);
  if (found == state.tasks.end()) return nullptr;
  if (IsPoststart(task) && found->second->Successful()) return nullptr;
  return found->second.get();
}

// Returns why the task makes the allocation unhealthy at once, or an empty text.
std::string Blame(const Task& task, const TaskStateRecord& state) {
  if (state.failed) return "Unhealthy because of failed task";
  // A prestart task may end before the main tasks start.
  if (state.finished_at != 0 && !IsPrestart(task)) return "Unhealthy because of dead task";
  return "";
}

// Returns whether a driver says of a running task that it is not healthy.
bool AnyUnhealthy(const TaskGroup& group, const AllocState& state) {
  return std::ranges::any_of(group.tasks, [&](const Task& task) {
    const TaskStateRecord* const of_task = Considered(task, state);
    return of_task != nullptr && of_task->unhealthy;
  });
}

UpdatePolicy WithBounds(UpdatePolicy policy) {
  policy.min_healthy_time = Bounded(policy.min_healthy_time);
  policy.healthy_deadline = Bounded(policy.healthy_deadline);
  return policy;
}

}  // namespace

HealthTracker::HealthTracker(const UpdatePolicy& policy, TimePoint begin)
    : policy_(WithBounds(policy)), deadline_(begin + policy_.healthy_deadline), due_(deadline_) {}

std::optional<HealthVerdict> HealthTracker::Judge(const AllocState& state, bool checks_pass,
                                                  TimePoint now, WallTime wall) {
  due_ = deadline_;
  const TaskGroup* const group = state.alloc->group();
  if (group == nullptr) return std::nullopt;
  HealthVerdict verdict;
  for (const Task& task : group->tasks) {
    const TaskStateRecord* const of_task = Considered(task, state);
    const std::string blame = of_task == nullptr ? "" : Blame(task, *of_task);
    if (!blame.empty()) verdict.messages[task.name] = blame;
  }
  if (!verdict.messages.empty() || state.status.status == ClientStatus::kFailed) return verdict;
  if (Follow(*group, state, checks_pass, now, wall)) {
    const TimePoint since = std::max(since_tasks_, since_checks_.value_or(since_tasks_));
    const TimePoint healthy_at = since + policy_.min_healthy_time;
    due_ = std::min(deadline_, healthy_at);
    verdict.healthy = healthy_at <= now && healthy_at <= deadline_;
    if (verdict.healthy) return verdict;
  }
  if (now < deadline_) return std::nullopt;
  return AtDeadline(*group, state);
}

bool HealthTracker::Follow(const TaskGroup& group, const AllocState& state, bool checks_pass,
                           TimePoint now, WallTime wall) {
  const bool use_checks = policy_.health_check == UpdatePolicy::HealthCheck::kChecks;
  // What a driver says of its task is a check, too.
  checks_pass = checks_pass && !AnyUnhealthy(group, state);
  if (!use_checks || !checks_pass) {
    since_checks_.reset();
  } else if (!since_checks_) {
    since_checks_ = now;
  }
  bool pending = false;
  WallTime newest = 0;
  for (const Task& task : group.tasks) {
    const TaskStateRecord* const of_task = Considered(task, state);
    if (of_task == nullptr) continue;
    pending = pending || of_task->state == RunnerState::kPending;
    newest = std::max(newest, of_task->started_at);
  }
  if (newest != newest_start_) {
    newest_start_ = newest;
    // The tasks may have started under an earlier agent. The wall clock may have been set since.
    since_tasks_ = now - Bounded(Duration(wall - newest));
  }
  return !pending && newest != 0 && (!use_checks || checks_pass);
}

HealthVerdict HealthTracker::AtDeadline(const TaskGroup& group, const AllocState& state) const {
  const std::string deadline = FormatDuration(policy_.healthy_deadline);
  const bool use_checks = policy_.health_check == UpdatePolicy::HealthCheck::kChecks;
  const bool tasks_late = newest_start_ != 0 && since_tasks_ + policy_.min_healthy_time > deadline_;
  const bool checks_late =
      use_checks && (!since_checks_ || *since_checks_ + policy_.min_healthy_time > deadline_);
  HealthVerdict verdict;
  for (const Task& task : group.tasks) {
    const TaskStateRecord* const of_task = Considered(task, state);
    if (of_task == nullptr || of_task->state == RunnerState::kDead) continue;
    if (of_task->state == RunnerState::kPending) {
      verdict.messages[task.name] = "Task not running by healthy_deadline of " + deadline;
    } else if (tasks_late) {
      verdict.messages[task.name] = "Task not running for min_healthy_time of " +
                                    FormatDuration(policy_.min_healthy_time) +
                                    " by healthy_deadline of " + deadline;
    } else if (checks_late && of_task->unhealthy) {
      verdict.messages[task.name] = "Task not healthy by deadline, says its driver";
    } else if (checks_late) {
      verdict.messages[task.name] = "Services not healthy by deadline";
    }
  }
  return verdict;
}

}  // namespace drover
