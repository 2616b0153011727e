// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/patience.h"
#include "host/task/live_run.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that pauses a task and lets it go on.
namespace drover {
namespace {

// How long a stop waits until a paused task goes on. Without an answer, the task is stopped anyway.
constexpr Duration kResumeLimit = 5s;

}  // namespace

Co<Status> TaskRunner::Pause(bool paused) {
  const auto self = shared_from_this();
  DROVER_CO_ASSIGN(const auto run, co_await PresentRun());
  if (kill_.cancelled() || run->stopping) {
    co_return Error(Code::kFailedPrecondition, "Task is being stopped");
  }
  DROVER_CO_ASSIGN(Driver* const driver, FindDriver());
  {
    const Patience patience(life_, Backstop(*driver, &DriverLimits::signal));
    DROVER_CO_TRY(co_await driver->Pause(patience.context(), run->id(), paused));
  }
  // The task may have ended meanwhile, or another run may have begun.
  if (run_ != run || run->exited.is_set()) co_return Status();
  if (paused && (kill_.cancelled() || run->stopping)) {
    // The stop has begun before the pause was known, so it does not let the task go on.
    const Patience patience(life_, Backstop(*driver, &DriverLimits::signal));
    const Status resumed = co_await driver->Pause(patience.context(), run->id(), false);
    if (!resumed.ok()) ReportError(resumed.error().WithContext("the task is stopped while paused"));
    co_return Error(Code::kFailedPrecondition, "Task is being stopped");
  }
  NotePaused(paused, "by request");
  co_return Status();
}

void TaskRunner::NotePaused(bool paused, const std::string& why) {
  if (journal_.state().paused == paused) return;
  journal_.SetPaused(paused, TaskEvent(paused ? event_type::kPaused : event_type::kResumed)
                                 .Message((paused ? "Task paused " : "Task resumed ") + why));
}

// A task that is paused cannot react to a signal.
Co<void> TaskRunner::ResumeForStop(std::shared_ptr<LiveRun> run) {
  if (!journal_.state().paused || run->exited.is_set()) co_return;
  const Result<Driver*> driver = FindDriver();
  Status resumed = driver.ok() ? Status() : Status(driver.error());
  if (driver.ok()) {
    const Patience patience(shutdown_, kResumeLimit);
    resumed = co_await (*driver)->Pause(patience.context(), run->id(), false);
  }
  if (!resumed.ok()) {
    // The record keeps the pause. After a shutdown of the agent, the next one stops the task.
    if (shutdown_.cancelled()) co_return;
    ReportError(resumed.error().WithContext("the task is stopped although it is paused"));
    co_return;
  }
  if (run_ == run && !run->exited.is_set()) NotePaused(false, "for its stop");
}

// Corrects the record of a run that was recovered. Its driver may have lost the pause, or the agent
// may have died before it recorded one.
Co<void> TaskRunner::CheckPaused(std::shared_ptr<LiveRun> run) {
  if (run_ != run || run->exited.is_set()) co_return;
  const Result<Driver*> driver = FindDriver();
  if (!driver.ok()) co_return;
  const bool held = services_.processes != nullptr && services_.processes->IsPaused(run->id());
  if (!journal_.state().paused && !held && !(*driver)->info().can_pause) co_return;
  const JoinContext joined(shutdown_, run->watch);
  const Patience patience(joined.context(), Backstop(**driver, &DriverLimits::inspect));
  const Result<TaskStatus> status = co_await (*driver)->Inspect(patience.context(), run->id());
  // A stop lets the task go on.
  if (!status.ok() || run_ != run || run->exited.is_set() || run->stopping) co_return;
  const auto said = status->attributes.find("paused");
  const bool paused = said != status->attributes.end() && said->second == "true";
  NotePaused(paused, "by its driver, while nobody watched it");
}

}  // namespace drover
