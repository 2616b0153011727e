// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/task_counters.h"

namespace drover {
namespace {

constexpr char kStart[] = "nomad.client.allocs.start";
constexpr char kRunning[] = "nomad.client.allocs.running";
constexpr char kRestart[] = "nomad.client.allocs.restart";
constexpr char kComplete[] = "nomad.client.allocs.complete";
constexpr char kFailed[] = "nomad.client.allocs.failed";
constexpr char kOomKilled[] = "nomad.client.allocs.oom_killed";

}  // namespace

TaskCounters::TaskCounters(MetricRegistry* metrics) : metrics_(metrics) {
  for (const char* name : {kStart, kRunning, kRestart, kComplete, kFailed, kOomKilled}) {
    metrics_->Count(name, 0);
  }
}

void TaskCounters::Changed(const AllocSnapshot& before, const AllocState& now) {
  static const TaskStateRecord kNew;
  for (const auto& [name, task] : now.tasks) {
    const TaskStateRecord* known = &kNew;
    if (before != nullptr) {
      const auto found = before->tasks.find(name);
      if (found != before->tasks.end()) known = found->second.get();
    }
    if (known != task.get()) TaskChanged(*known, *task);
  }
}

void TaskCounters::TaskChanged(const TaskStateRecord& before, const TaskStateRecord& now) {
  for (std::size_t i = FirstNewEvent(before, now); i < now.events.size(); ++i) {
    const TaskEvent& reported = now.events[i];
    if (reported.type == event_type::kStarted) metrics_->Count(kStart);
    if (reported.type == event_type::kTerminated &&
        reported.Detail(event_key::kOomKilled) == "true") {
      metrics_->Count(kOomKilled);
    }
  }
  if (now.restarts > before.restarts) {
    metrics_->Count(kRestart, static_cast<double>(now.restarts - before.restarts));
  }
  if (now.state == before.state) return;
  if (now.state == RunnerState::kRunning) metrics_->Count(kRunning);
  if (now.state == RunnerState::kDead) metrics_->Count(now.failed ? kFailed : kComplete);
}

}  // namespace drover
