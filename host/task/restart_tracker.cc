// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/restart_tracker.h"

#include <algorithm>

#include "host/spec/job_limits.h"
#include "host/task/task_event.h"

namespace drover {

bool RestartsOnSuccess(JobType type, const Task& task) {
  if (IsPoststop(task)) return false;
  if (task.lifecycle) return task.lifecycle->sidecar;
  return type == JobType::kService || type == JobType::kSystem;
}

RestartTracker::RestartTracker(RestartPolicy policy, bool on_success, Counted counted,
                               Random random)
    : on_success_(on_success), random_(std::move(random)), counted_(counted) {
  SetPolicy(policy);
}

void RestartTracker::SetPolicy(RestartPolicy policy) {
  policy_ = policy;
  policy_.interval = Bounded(policy.interval);
  policy_.delay = Bounded(policy.delay);
}

RestartTracker::Decision RestartTracker::Next(TimePoint now) {
  Decision decision = Decide(now);
  killed_ = triggered_ = failure_ = false;
  start_error_.reset();
  exit_.reset();
  return decision;
}

RestartTracker::Decision RestartTracker::Decide(TimePoint now) {
  if (killed_) return {Kind::kKilled, 0s, ""};
  if (triggered_) return {Kind::kRestarting, 0s, ""};

  // If a restart was requested because of a failure, the decision treats even a successful exit as
  // a failure.
  const bool done = exit_ && exit_->Successful() && !on_success_ && !failure_ && !start_error_;
  if (policy_.attempts == 0) {
    if (done) return {Kind::kTerminated, 0s, "Policy allows no restarts"};
    return {Kind::kNotRestarting, 0s, "Policy allows no restarts"};
  }
  if (now - counted_.interval_start >= policy_.interval) {
    counted_.interval_start = now;
    counted_.count = 0;
  }
  ++counted_.count;
  if (start_error_ && !start_error_->recoverable())
    return {Kind::kNotRestarting, 0s, "Error was unrecoverable"};
  if (done) return {Kind::kTerminated, 0s, "Restart unnecessary as task terminated successfully"};
  if (counted_.count <= policy_.attempts)
    return {Kind::kRestarting, Jittered(policy_.delay), std::string(kRestartWithinPolicy)};
  if (policy_.mode == RestartPolicy::Mode::kFail) {
    return {Kind::kNotRestarting, 0s,
            "Exceeded allowed attempts " + std::to_string(policy_.attempts) + " in interval " +
                FormatDuration(policy_.interval) + " and mode is \"fail\""};
  }
  const Duration rest = counted_.interval_start + policy_.interval - now;
  return {Kind::kRestarting, std::max(rest, Duration(0)),
          "Exceeded allowed attempts, applying a delay"};
}

Duration RestartTracker::Jittered(Duration delay) {
  if (delay <= 0s) return 1ns;
  const auto bound = static_cast<std::uint64_t>(delay.count() / 4);
  return delay + Duration(bound == 0 ? 0 : static_cast<Duration::rep>(random_(bound)));
}

}  // namespace drover
