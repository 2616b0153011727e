// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/base/patience.h"
#include "host/spec/job_limits.h"
#include "host/task/live_run.h"
#include "host/task/runner_outcome.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that stops a run. The host calls the driver's Stop and also starts a
// timer. If the run has not ended when the timer fires, the host kills the processes itself.
namespace drover {
namespace {

// The host kills the task this long after the kill timeout, so the driver can kill the task
// first.
constexpr Duration kKillSlack = 50ms;
// How long the driver may take to report the end of the run after all processes were killed.
constexpr Duration kExitGrace = 5s;
// How long the driver's Stop may take to return after the driver has reported the end of the run.
constexpr Duration kStopGrace = 250ms;

// The maximum time that a stop waits until the request for the stop is stored.
constexpr Duration kWishLimit = 250ms;

constexpr int kStopRetries = 5;
constexpr Duration kStopBase = 5s;
constexpr Duration kStopMax = 2min;

}  // namespace

// The result of Driver::Stop. AskStop sets it, and StopRun and EnforceStop read it.
struct StopAnswer {
  explicit StopAnswer(Loop* loop) : over(loop) {}
  Event over;  // set when AskStop will not call Driver::Stop again
  Status status;
};

Duration TaskRunner::KillTimeout() const {
  return std::min(Bounded(task_->kill_timeout), services_.max_kill_timeout);
}

Co<void> TaskRunner::KillTask(std::shared_ptr<LiveRun> run) {
  tracker_.SetKilled();  // the decision is kKilled even if the task ends by itself
  const LocalState& local = journal_.local();
  const bool goes_on = run->stop_goes_on && local.wish == RunWish::kKill;
  if (!goes_on || (!local.delay_until && !local.stop_since)) {
    co_await NoteWish(RunWish::kKill);
    co_await RunHooks(HookStage::kPrekill, shutdown_);
  }
  const bool was_asked = goes_on && local.stop_since;
  if (!run->exited.is_set() && !was_asked) co_await WaitShutdownDelay(run);
  if (run->exited.is_set() || shutdown_.cancelled()) co_return;
  outcome_->kill_status = co_await StopRun(run);
  if (run->exited.is_set() || shutdown_.cancelled()) co_return;
  // The runner can do no more to end the run, so it stops waiting. The run's result reports why
  // the end of the run is unknown.
  run->FinishUnknown(outcome_->kill_status.ok() ? "the driver did not report how the task ended"
                                                : outcome_->kill_status.error().message());
}

// Stores WISH before the driver's Stop is called. If the agent then dies, the record shows the next
// agent that the task did not end by itself. A disk that hangs delays the stop by at most
// kWishLimit.
Co<void> TaskRunner::NoteWish(RunWish wish) {
  if (journal_.local().wish == wish || !journal_.local().run_id) co_return;
  journal_.SetWish(wish);
  // If there is neither a shutdown delay nor a prekill hook, the stop follows the request at once.
  // Then one record stores both the request and the start of the stop.
  const bool delayed = wish == RunWish::kKill && task_->shutdown_delay > 0s;
  if (!delayed && !hooks_->Has(HookStage::kPrekill)) journal_.BeginStop();
  co_await journal_.SaveOrReport(kWishLimit);
}

Co<void> TaskRunner::WaitShutdownDelay(std::shared_ptr<LiveRun> run) {
  const Duration delay = Bounded(task_->shutdown_delay);
  if (delay <= 0s) co_return;
  // During the delay the task serves its last clients. Besides, its state, pending, has no pause.
  co_await ResumeForStop(run);
  if (run->exited.is_set() || shutdown_.cancelled()) co_return;
  const Context no_delay = no_shutdown_delay_.value_or(life_);
  const std::string text =
      "shutdown_delay of " + FormatDuration(delay) + " before killing the task.";
  const bool reported = journal_.HasReported(event_type::kWaitingShutdownDelay);
  if (no_delay.cancelled() || alloc_->no_shutdown_delay) {
    if (reported) co_return;
    journal_.SetState(RunnerState::kPending,
                      TaskEvent(event_type::kSkippingShutdownDelay).Message("Skipping " + text));
    co_return;
  }
  if (!reported) {
    journal_.SetState(RunnerState::kPending,
                      TaskEvent(event_type::kWaitingShutdownDelay).Message("Waiting for " + text));
  }
  if (!journal_.local().delay_until) {
    journal_.BeginShutdownDelay(delay);
    co_await journal_.SaveOrReport(kWishLimit);
  }
  const Duration left =
      std::clamp(*journal_.local().delay_until - loop_->Now(), Duration(0), delay);
  if (left <= 0s) co_return;
  const JoinContext joined(no_delay, shutdown_);
  const Context limited = joined.context().WithTimeout(left);
  [[maybe_unused]] const Status exited = co_await run->exited.Wait(limited);
}

// Returns the kill timeout, or the rest of it if an earlier agent has begun the stop.
Duration TaskRunner::StopTimeout(LiveRun* run) const {
  const Duration timeout = KillTimeout();
  const std::optional<TimePoint> since = journal_.local().stop_since;
  if (!std::exchange(run->stop_goes_on, false) || !since) return timeout;
  return std::clamp(timeout - (loop_->Now() - *since), Duration(0), timeout);
}

Co<Status> TaskRunner::StopRun(std::shared_ptr<LiveRun> run) {
  if (run->exited.is_set()) co_return Status();
  if (run->stopping) {
    const Status over = co_await run->stop_over.Wait(shutdown_);
    co_return over.ok() ? run->stop_status : over;
  }
  run->stopping = true;
  run->stop_over.Reset();
  co_await ResumeForStop(run);
  if (!journal_.local().stop_since) {
    journal_.BeginStop();
    co_await journal_.SaveOrReport(kWishLimit);
  }
  const Duration timeout = StopTimeout(run.get());
  const auto answer = std::make_shared<StopAnswer>(loop_);
  Context asking = shutdown_.Child();
  Gate asker(loop_);
  asker.Spawn(AskStop(this, run, asking, timeout, answer));
  const Status stopped = co_await EnforceStop(run, asking, timeout, answer);
  if (!answer->over.is_set()) {
    const Context grace = asking.WithTimeout(kStopGrace);
    [[maybe_unused]] const Status over = co_await answer->over.Wait(grace);
  }
  asking.Cancel("the task has been stopped");
  co_await asker.Close();
  run->stopping = false;
  run->stop_status = stopped;
  run->stop_over.Set();
  co_return stopped;
}

Co<void> TaskRunner::AskStop(TaskRunner* self, std::shared_ptr<LiveRun> run, Context context,
                             Duration timeout, std::shared_ptr<StopAnswer> answer) {
  const TimePoint deadline = self->loop_->Now() + timeout;
  const std::string signal = self->task_->kill_signal;
  Duration backoff = kStopBase;
  for (int tries = 0;; ++tries) {
    const Result<Driver*> driver = self->FindDriver();
    if (driver.ok()) {
      const Duration left = std::max(deadline - self->loop_->Now(), Duration(0));
      const Patience patience(context, left + self->services_.driver_timeout);
      answer->status = co_await (*driver)->Stop(patience.context(), run->id(), left, signal);
    } else {
      answer->status = driver.error();
    }
    // A run that the driver does not have counts as stopped.
    if (answer->status.code() == Code::kNotFound) answer->status = Status();
    if (answer->status.ok() || tries == kStopRetries) break;
    if (run->exited.is_set() || context.cancelled()) break;
    self->ReportError(answer->status.error().WithContext("the task could not be stopped"));
    const Context pause = context.WithTimeout(backoff);
    [[maybe_unused]] const Status waited = co_await run->exited.Wait(pause);
    if (run->exited.is_set() || context.cancelled()) break;
    backoff = std::min(4 * backoff, kStopMax);
  }
  answer->over.Set();
}

Co<Status> TaskRunner::EnforceStop(std::shared_ptr<LiveRun> run, Context context, Duration timeout,
                                   std::shared_ptr<StopAnswer> answer) {
  {
    const Context patience = context.WithTimeout(timeout + kKillSlack);
    co_await WaitAny(patience, &run->exited, &run->unhealthy);
  }
  if (run->exited.is_set()) co_return Status();
  if (context.cancelled()) co_return context.status();

  Status forced;
  const Result<Driver*> driver = FindDriver();
  if (driver.ok()) {
    const Patience patience(context, services_.driver_timeout);
    forced = co_await (*driver)->ForceKill(patience.context(), run->id());
  } else {
    forced = driver.error();
  }
  if (forced.ok()) {
    const bool hopeless = answer->over.is_set() || run->unhealthy.is_set();
    const Duration limit = hopeless ? kExitGrace : services_.driver_timeout;
    const Patience patience(context, limit);
    [[maybe_unused]] const Status exited = co_await run->exited.Wait(patience.context());
  } else {
    // The host could not kill the run's processes, so only the driver can end the run.
    ReportError(forced.error().WithContext("the host could not kill the task"));
    co_await WaitAny(context, &run->exited, &answer->over);
    const Patience patience(context, kExitGrace);
    [[maybe_unused]] const Status exited = co_await run->exited.Wait(patience.context());
  }
  if (run->exited.is_set()) co_return Status();
  if (context.cancelled()) co_return context.status();
  const std::string by_driver = answer->status.ok() ? std::string("it did not report the end")
                                                    : answer->status.error().message();
  const std::string by_host =
      forced.ok() ? std::string("all processes were killed") : forced.error().message();
  co_return Error(Code::kTimeout, "failed to kill task: driver \"" + task_->driver +
                                      "\": " + by_driver + "; host: " + by_host);
}

}  // namespace drover
