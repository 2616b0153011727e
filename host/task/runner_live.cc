// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/base/patience.h"
#include "host/task/live_run.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that watches a run, destroys it, and recovers it after a loss of the
// plugin.
namespace drover {
namespace {

// If the plugin or the run is missing, the runner tries again at most kLazyTries times. The pauses
// between the tries are 250 ms, 1 s, 4 s, 5 s and 5 s.
constexpr int kLazyTries = 5;
constexpr Duration kLazyBase = 250ms;
constexpr Duration kLazyMax = 5s;

// If the plugin is lost again within this time after a run was recovered, the runner does not
// recover the run again.
constexpr Duration kRecoverAgainAfter = 30s;

// The first and the longest pause between two events about dropped output. Each pause is four times
// as long as the pause before. Without the pauses, these events could push all other events out of
// the task's list.
constexpr Duration kDroppedFirst = 1s;
constexpr Duration kDroppedMax = 1h;

}  // namespace

void TaskRunner::Adopt(std::shared_ptr<const TaskConfig> config, std::optional<ExitResult> exited) {
  run_ = std::make_shared<LiveRun>(loop_, std::move(config));
  if (const Result<Driver*> driver = FindDriver(); driver.ok()) {
    LiveRun* const run = run_.get();
    if ((*driver)->fingerprint().health == Health::kUnhealthy) run->unhealthy.Set();
    run->on_health = (*driver)->OnFingerprint([this, run] { NoteHealth(run); });
    run->on_events =
        (*driver)->OnEvents(run->id(), [this](const DriverEvent& event) { HearDriver(event); });
    run->on_handle =
        (*driver)->OnHandle(run->id(), [this](const TaskHandle& handle) { HearHandle(handle); });
    run->on_news = (*driver)->OnNews(run->id(), [this](const TaskNews& news) { HearNews(news); });
  }
  if (services_.processes != nullptr) {
    run_->on_dropped = services_.processes->OnDroppedOutput(
        run_->id(), [this](const DroppedOutput& dropped) { HearDropped(dropped); });
  }
  if (exited) {
    run_->Finish(std::move(*exited));
  } else {
    background_.Spawn(WatchExit(this, run_));
  }
}

Co<void> TaskRunner::WatchExit(TaskRunner* self, std::shared_ptr<LiveRun> run) {
  while (!run->watch.cancelled() && !run->exited.is_set()) {
    const Result<Driver*> driver = self->FindDriver();
    Result<ExitResult> result = Error(Code::kUnavailable, "");
    if (driver.ok()) {
      result = co_await (*driver)->Wait(run->watch, run->id());
    } else {
      result = driver.error();
    }
    if (run->watch.cancelled()) break;
    if (result.ok()) {
      run->Finish(std::move(*result));
      break;
    }
    const bool gone = result.code() == Code::kUnavailable || result.code() == Code::kNotFound;
    if (gone && co_await self->RecoverLost(run)) continue;
    if (run->watch.cancelled()) break;
    run->FinishUnknown(result.error().message());
  }
}

Co<bool> TaskRunner::RecoverLost(std::shared_ptr<LiveRun> run) {
  const TimePoint now = loop_->Now();
  if (run->recovered_at && now - *run->recovered_at < kRecoverAgainAfter) co_return false;
  Result<RecoveredTask> recovered = co_await AskRecover(run->watch, run->config);
  // The task continues to run in its shim, even without the plugin. As long as the driver may come
  // back, the runner calls Recover again. A kill of the task does not wait for this loop.
  while (!run->watch.cancelled() && MayComeBack(recovered)) {
    if (recovered.code() == Code::kTimeout) (void)co_await Sleep(run->watch, kLazyMax);
    recovered = co_await AskRecover(run->watch, run->config);
  }
  if (!recovered.ok()) {
    if (!run->watch.cancelled()) ReportError(recovered.error());
    co_return false;
  }
  if (run->watch.cancelled()) co_return false;
  run->recovered_at = loop_->Now();
  journal_.SetHandle(std::move(recovered->handle));
  co_await journal_.SaveOrReport();
  if (recovered->exited) run->Finish(std::move(*recovered->exited));
  co_await CheckPaused(run);
  co_return true;
}

Duration TaskRunner::Backstop(const Driver& driver, Duration DriverLimits::* limit) const {
  // The driver may get more time for a call. It asks for it, and this runner does not see that.
  return driver.LimitOf(limit) + driver.LimitOf(&DriverLimits::extend) + services_.driver_timeout;
}

Co<Result<RecoveredTask>> TaskRunner::AskRecover(Context context,
                                                 std::shared_ptr<const TaskConfig> config) {
  const TaskHandle handle = journal_.local().handle.value_or(TaskHandle());
  Duration backoff = kLazyBase;
  for (int tries = 0;; ++tries) {
    Result<RecoveredTask> recovered = Error(Code::kUnavailable, "");
    const Result<Driver*> driver = FindDriver();
    if (driver.ok()) {
      const Patience patience(context, Backstop(**driver, &DriverLimits::recover));
      recovered = co_await (*driver)->Recover(patience.context(), config, handle);
    } else {
      recovered = driver.error();
    }
    // Every result except kUnavailable is final. After kUnavailable, the plugin may soon be loaded
    // again.
    if (recovered.ok() || recovered.code() != Code::kUnavailable) co_return recovered;
    if (tries == kLazyTries || context.cancelled()) co_return recovered;
    const Status slept = co_await Sleep(context, backoff);
    if (!slept.ok()) co_return slept.error();
    backoff = std::min(4 * backoff, kLazyMax);
  }
}

void TaskRunner::Unwatch() {
  run_->watch.Cancel("the task has ended");
  run_->on_dropped.Cancel();
  run_->on_events.Cancel();
  run_->on_handle.Cancel();
  run_->on_news.Cancel();
  run_->on_health.Cancel();
}

Co<void> TaskRunner::Discard(RunId run, bool kill) {
  const Result<Driver*> driver = FindDriver();
  if (driver.ok() && kill) {
    const Patience patience(shutdown_, services_.driver_timeout);
    const Status killed = co_await (*driver)->ForceKill(patience.context(), run);
    if (!killed.ok() && killed.code() != Code::kNotFound) ReportError(killed.error());
  }
  Status destroyed = driver.ok() ? Status() : driver.error();
  if (driver.ok()) {
    const Patience patience(shutdown_, Backstop(**driver, &DriverLimits::destroy));
    destroyed = co_await (*driver)->Destroy(patience.context(), run, true);
  } else if (services_.processes != nullptr) {
    // The operator has removed the driver, but the host can still release the run's processes.
    const Patience patience(shutdown_, services_.driver_timeout);
    destroyed = co_await services_.processes->Release(patience.context(), run);
  }
  if (destroyed.ok() || destroyed.code() == Code::kNotFound) co_return;
  ReportError(destroyed.error().WithContext("run " + run.ToString() + " was not destroyed"));
  if (services_.release_later && !shutdown_.cancelled()) services_.release_later(run);
}

void TaskRunner::NoteHealth(LiveRun* run) {
  const Result<Driver*> driver = FindDriver();
  if (!driver.ok() || run->exited.is_set()) return;
  const Fingerprint& fingerprint = (*driver)->fingerprint();
  const bool unhealthy = fingerprint.health == Health::kUnhealthy;
  if (unhealthy == run->unhealthy.is_set()) return;
  if (unhealthy) {
    run->unhealthy.Set();
  } else {
    run->unhealthy.Reset();
  }
  std::string text =
      "Driver \"" + task_->driver + "\" became " + std::string(unhealthy ? "unhealthy" : "healthy");
  if (unhealthy && !fingerprint.description.empty()) text += ": " + fingerprint.description;
  journal_.Emit(TaskEvent(unhealthy ? event_type::kPluginUnhealthy : event_type::kPluginHealthy)
                    .Message(text));
}

void TaskRunner::HearDriver(const DriverEvent& heard) {
  journal_.Emit(heard.progress ? ProgressEventOf(*heard.progress)
                               : DriverEventOf(heard.message, heard.annotations));
}

void TaskRunner::HearHandle(const TaskHandle& handle) {
  journal_.SetHandle(handle);
  background_.Spawn(journal_.SaveOrReport());
}

void TaskRunner::HearDropped(const DroppedOutput& dropped) {
  const auto run = run_;
  if (!run) return;  // the agent shuts down
  run->dropped = dropped;
  run->dropped_more.Set();
  if (run->reports_dropped) return;
  run->reports_dropped = true;
  background_.Spawn(ReportDroppedLoop(this, run));
}

Co<void> TaskRunner::ReportDroppedLoop(TaskRunner* self, std::shared_ptr<LiveRun> run) {
  for (Duration pause = kDroppedFirst;; pause = std::min(4 * pause, kDroppedMax)) {
    const Status more = co_await run->dropped_more.Wait(run->watch);
    if (!more.ok() || run->watch.cancelled()) co_return;
    run->dropped_more.Reset();
    self->ReportDropped(run.get());
    const Status slept = co_await Sleep(run->watch, pause);
    if (!slept.ok()) co_return;
  }
}

void TaskRunner::ReportDropped(LiveRun* run) {
  if (run->dropped == run->dropped_reported) return;
  run->dropped_reported = run->dropped;
  journal_.Emit(OutputDroppedEvent(run->dropped));
}

Co<Result<std::shared_ptr<LiveRun>>> TaskRunner::LazyRun(Context context) {
  Duration backoff = kLazyBase;
  for (int tries = 0;; ++tries) {
    if (run_ && !run_->exited.is_set()) co_return run_;
    if (dead() || life_.cancelled()) co_return Error(Code::kFailedPrecondition, "Task not running");
    if (tries == kLazyTries) co_return Error(Code::kUnavailable, "no driver handle");
    const JoinContext joined(context, life_);
    const Status slept = co_await Sleep(joined.context(), backoff);
    if (!slept.ok() && context.cancelled()) co_return slept.error();
    backoff = std::min(4 * backoff, kLazyMax);
  }
}

}  // namespace drover
