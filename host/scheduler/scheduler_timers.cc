// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The work that becomes due with time. Each kind of it has its own file.
#include "host/scheduler/scheduler.h"

namespace drover {
void Scheduler::OnTimer(const SchedulerTimers::Key& key) {
  switch (key.first) {
    case SchedulerTimers::Kind::kFollowUp:
      return OnFollowUp(key.second);
    case SchedulerTimers::Kind::kDeployment:
      return OnDeployment(key.second);
    case SchedulerTimers::Kind::kNode:
      return OnNodeTimer(key.second);
    case SchedulerTimers::Kind::kLaunch:
      return OnLaunch(JobOfLaunchTimer(key.second));
    case SchedulerTimers::Kind::kRestart:
      return OnRestart(key.second);
  }
}

// Deployments, launches and restarts are looked at once at once: their functions set their timers
// anew, and see what an earlier agent has missed.
void Scheduler::RestoreTimers() {
  store_->Read([this](const Tables& tables) {
    for (const auto& [id, eval] : tables.evals) {
      if (!eval->follows_up()) continue;
      timers_.SetWall({SchedulerTimers::Kind::kFollowUp, eval->id}, eval->wait_until);
    }
    const TimePoint now = loop_->Now();
    for (const auto& [id, deployment] : tables.deployments) {
      if (deployment->active()) timers_.Set({SchedulerTimers::Kind::kDeployment, id}, now);
    }
    for (const auto& [id, restart] : tables.restarts) {
      if (restart->status == "running") timers_.Set({SchedulerTimers::Kind::kRestart, id}, now);
    }
  });
  RestoreLaunches();
}

// By their jobs, since the record of a launch may be damaged, and lost.
void Scheduler::RestoreLaunches() {
  store_->Read([this](const Tables& tables) {
    for (const auto& [key, job] : tables.jobs) {
      if (!job->job->periodic || job->stop) continue;
      timers_.Set({SchedulerTimers::Kind::kLaunch, LaunchTimerId(key)}, loop_->Now());
    }
  });
}

}  // namespace drover
