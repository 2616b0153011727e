// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_restart.h"

#include <algorithm>
#include <utility>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

// The least time between two looks at the checks that results and states of tasks cause. Hundreds
// of failing checks would else have all of them looked at hundreds of times each second.
constexpr Duration kPace = 50ms;

}  // namespace

void CheckRestarter::Watch(const std::string& alloc_id,
                           const std::vector<std::shared_ptr<CheckSlot>>& slots) {
  std::vector<Watched> watched;
  for (const std::shared_ptr<CheckSlot>& slot : slots) {
    const std::optional<CheckRestart>& rule = slot->plan->check.check_restart;
    if (!rule || rule->limit < 1) continue;
    const auto before = std::ranges::find(watched_, slot, &Watched::slot);
    if (before != watched_.end()) {
      watched.push_back(std::move(*before));
    } else {
      watched.push_back(Watched{slot, loop_->Now(), std::nullopt, 0});
    }
  }
  watched_ = std::move(watched);
  if (watched_.empty()) return Stop();
  if (!observing_) {
    observing_ = true;
    control_->AddObserver(this);
    on_results_ = results_->OnChange(alloc_id, [this] { WakeSoon(); });
  }
  WakeSoon();
}

void CheckRestarter::Stop() {
  watched_.clear();
  loop_->Cancel(std::exchange(timer_, 0));
  on_results_.Cancel();
  if (!std::exchange(observing_, false)) return;
  control_->RemoveObserver(this);
}

// The runner is in the middle of its work, so Look has to wait.
void CheckRestarter::OnAllocState(const AllocSnapshot&) { WakeSoon(); }

void CheckRestarter::WakeSoon() { Wake(std::max(loop_->Now(), looked_at_ + kPace)); }

// Makes Look run at the time AT, unless it runs earlier anyway.
void CheckRestarter::Wake(TimePoint at) {
  if (timer_ != 0 && timer_at_ <= at) return;
  loop_->Cancel(timer_);
  timer_at_ = at;
  timer_ = loop_->At(at, [this] {
    timer_ = 0;
    Look();
  });
}

void CheckRestarter::Look() {
  looked_at_ = loop_->Now();
  const AllocSnapshot state = control_->snapshot();
  if (state == nullptr || state->alloc->server_terminal() || state->terminal()) return;
  for (const auto& [name, task] : state->tasks) {
    Started& known = starts_[name];
    if (known.wall == task->started_at) continue;
    // The task may have started under an earlier agent. The wall clock may have been set since.
    const Duration ago = Bounded(Duration(loop_->Wall() - task->started_at));
    known = Started{task->started_at, loop_->Now() - ago};
  }
  std::optional<TimePoint> next;
  for (Watched& watched : watched_) {
    const std::optional<Started> started = StartOf(*state, *watched.slot->plan);
    if (!started || started->wall == watched.restarted) {
      watched.failing_since.reset();
      continue;
    }
    const std::optional<TimePoint> at = LookAt(&watched, *started);
    if (at && (!next || *at < *next)) next = at;
  }
  if (next) Wake(*next);
}

// Returns the newest start of the tasks that PLAN is about. Returns nothing while one of them does
// not run, such as during a restart.
std::optional<CheckRestarter::Started> CheckRestarter::StartOf(const AllocState& state,
                                                               const CheckPlan& plan) {
  const TaskGroup* const group = state.alloc->group();
  if (group == nullptr) return std::nullopt;
  std::optional<Started> newest;
  for (const Task& task : group->tasks) {
    const bool alone = !plan.task.empty();
    if (alone ? task.name != plan.task : IsPoststop(task)) continue;
    const auto found = state.tasks.find(task.name);
    if (found == state.tasks.end() || found->second->state == RunnerState::kDead) continue;
    if (found->second->state == RunnerState::kPending) return std::nullopt;
    const Started& started = starts_[task.name];
    if (!newest || started.at > newest->at) newest = started;
  }
  return newest;
}

std::optional<TimePoint> CheckRestarter::LookAt(Watched* watched, const Started& started) {
  const CheckPlan& plan = *watched->slot->plan;
  const CheckRestart& rule = *plan.check.check_restart;
  const CheckResults::Brief result = results_->Look(*watched->slot);
  const bool passes = result.status == CheckStatus::kSuccess ||
                      (result.status == CheckStatus::kWarning && rule.ignore_warnings);
  if (passes) {
    watched->failing_since.reset();
    return std::nullopt;
  }
  const TimePoint now = loop_->Now();
  const TimePoint begin = std::max(started.at, watched->since);
  TimePoint from = begin + Bounded(rule.grace);
  // What a run found before this start says nothing about it. Until there is a newer result, the
  // check counts as failing only if a run should have ended by now.
  const bool fresh = result.has_run && result.ran > started.at;
  if (!fresh) from = std::max(from, begin + plan.check.interval + plan.check.timeout);
  if (now < from) {
    watched->failing_since.reset();
    return from;
  }
  if (!watched->failing_since) watched->failing_since = now;
  // The limit comes from a job, so the product may be too long for any clock.
  const double longest = static_cast<double>(kLongestOfJob / plan.check.interval);
  const double wanted = static_cast<double>(rule.limit) - 1;
  const auto intervals = static_cast<Duration::rep>(std::min(wanted, longest));
  const TimePoint end = *watched->failing_since + plan.check.interval * intervals;
  if (now < end) return end;
  Restart(plan, started.wall);
  return std::nullopt;
}

void CheckRestarter::Restart(const CheckPlan& plan, WallTime start) {
  for (Watched& watched : watched_) {
    if (watched.slot->plan->task != plan.task) continue;
    watched.restarted = start;
    watched.failing_since.reset();
  }
  control_->RequestRestart(plan.task, "healthcheck: check \"" + plan.check.name + "\" unhealthy");
}

}  // namespace drover
