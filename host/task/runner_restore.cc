// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "host/task/live_run.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that restores a task of an earlier agent. The task may still run, may
// have ended since that agent died, or may have been about to start when that agent died.
namespace drover {
namespace {

// The first and the longest pause between two recover calls to a driver that does not work but may
// be repaired. The pause doubles each time, because a recover call that crashes the driver also
// harms the driver's other tasks.
constexpr Duration kAskFirst = 5s;
constexpr Duration kAskLast = 10min;

}  // namespace

Co<TaskRunner::Step> TaskRunner::Restore() {
  if (!journal_.restored()) co_return Step::kNext;
  // Hooks that are done do not run again, but the environment that they stored is still used.
  prepared_.env = hooks_->StoredEnv(journal_.local().hooks);
  prepared_.user = HookChain::StoredUser(journal_.local().hooks);
  if (dead()) {
    if (journal_.local().run_id) {
      co_await Discard(*journal_.local().run_id, true);
      // At a shutdown the run may not have been destroyed. Then the next agent destroys it.
      if (shutdown_.cancelled()) co_return Step::kShutdown;
      journal_.ForgetRun();
      co_await journal_.SaveOrReport();
    }
    journal_.Publish();
    co_return shutdown_.cancelled() ? Step::kShutdown : Step::kEnd;
  }
  if (!journal_.local().run_id) {
    // A running task must have a run. Without one, the record is damaged and nothing can be
    // recovered.
    if (running()) journal_.SetState(RunnerState::kPending);
    co_return Step::kNext;
  }
  if (journal_.local().exit) co_return co_await ResumeExit();
  co_return co_await Reattach();
}

Co<TaskRunner::Step> TaskRunner::ResumeExit() {
  if (journal_.LastReported(
          event_type::kRestarting)) {  // the restart is decided; only the run must be destroyed
    co_await Discard(*journal_.local().run_id, true);
    if (shutdown_.cancelled()) co_return Step::kShutdown;
    journal_.ForgetRun();
    co_await journal_.SaveOrReport();
    co_return Step::kNext;
  }
  auto config = journal_.local().config;
  if (!config) {  // run_id, id and task_name are enough to process the end of the run
    auto bare = std::make_shared<TaskConfig>();
    bare->run_id = *journal_.local().run_id;
    bare->id = journal_.local().task_config_id;
    bare->task_name = name_;
    config = std::move(bare);
  }
  Adopt(config, journal_.local().exit);
  ResumeWish();
  run_->end_reported = journal_.LastReported(event_type::kTerminated);
  co_return Step::kNext;
}

// Takes over what the hooks gave to the run before its start. It holds until they are asked again.
void TaskRunner::PrepareAsStarted() {
  const LocalState& local = journal_.local();
  prepared_.mounts = local.mounts;
  prepared_.devices = local.devices;
  prepared_.device_env = local.device_env;
  for (const auto& [name, value] : local.device_env) prepared_.env[name] = value;
}

Co<TaskRunner::Step> TaskRunner::Reattach() {
  const RunId run = *journal_.local().run_id;
  if (services_.restores != nullptr) {
    (void)co_await services_.restores->WaitLoaded(shutdown_, task_->driver);
    if (shutdown_.cancelled()) co_return Step::kShutdown;
  }
  auto config = journal_.local().config;
  if (!config) {
    PrepareAsStarted();
    auto made = MakeConfig(run, journal_.local().task_config_id, /*running=*/true);
    if (!made.ok()) co_return co_await GiveUpReattach(made.error());
    config = std::move(*made);
  }
  // A kill does not cancel AskRecover, because the driver can stop a run only after it has
  // recovered the run.
  Result<RecoveredTask> recovered = co_await AskRecover(shutdown_, config);
  // A task that must end does not wait for a driver that may come back.
  const bool wanted = ShouldRun() && journal_.local().wish != RunWish::kKill;
  if (wanted && MayComeBack(recovered)) recovered = co_await AwaitDriver(config, recovered.error());
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  if (!recovered.ok()) {
    const bool intent_only = !journal_.local().handle;
    if (!intent_only || recovered.code() != Code::kNotFound)
      co_return co_await GiveUpReattach(recovered.error());
    // The driver never started the run, so the next start counts as the first start.
    journal_.ForgetRun();
    if (running()) journal_.SetState(RunnerState::kPending);
    co_return Step::kNext;
  }
  if (journal_.LastReported(event_type::kPluginUnhealthy))
    journal_.Emit(TaskEvent(event_type::kPluginHealthy)
                      .Message("Driver \"" + task_->driver + "\" has recovered the task"));
  // The earlier agent may have died after the start, but before it stored the event "Started". The
  // reason is that the handle and the state are separate records.
  const bool announced = journal_.local().handle.has_value() && running();
  journal_.SetHandle(std::move(recovered->handle));  // before the news, which may replace it
  Adopt(config, std::move(recovered->exited));
  ResumeWish();
  run_->announced = announced;
  journal_.SetConfig(config);
  co_await journal_.SaveOrReport();
  co_await CheckPaused(run_);
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  co_return Step::kNext;
}

// Whether a later call of Recover may succeed. An operator may repair a broken driver, and the
// machine may get back a resource that it lacks now.
bool TaskRunner::MayComeBack(const Result<RecoveredTask>& recovered) const {
  if (recovered.ok()) return false;
  if (recovered.code() == Code::kTimeout) return true;
  if (recovered.code() != Code::kUnavailable) return false;
  if (recovered.error().recoverable()) return true;
  const Result<Driver*> driver = FindDriver();
  return driver.ok() && (*driver)->fingerprint().health == Health::kUnhealthy;
}

// Calls Recover until the result is final. Until then the task continues to run in its shim, even
// without the plugin. A kill of the task ends the wait for the driver.
Co<Result<RecoveredTask>> TaskRunner::AwaitDriver(std::shared_ptr<const TaskConfig> config,
                                                  Error first) {
  // Also logs the error. While the agent refuses the requests of clients, nobody can read the
  // event.
  ReportError(first.WithContext("task could not be re-attached yet"));
  if (!journal_.LastReported(event_type::kPluginUnhealthy))
    journal_.Emit(TaskEvent(event_type::kPluginUnhealthy)
                      .Message("Driver \"" + task_->driver +
                               "\" has not recovered the running task: " + first.message()));
  const JoinContext joined(kill_, shutdown_);
  Result<RecoveredTask> recovered = std::move(first);
  for (Duration pause = kAskFirst; MayComeBack(recovered); pause = std::min(2 * pause, kAskLast)) {
    const Status slept = co_await Sleep(joined.context(), pause);
    if (!slept.ok()) co_return recovered;
    recovered = co_await AskRecover(joined.context(), config);
  }
  co_return recovered;
}

// Continues the stop that an earlier agent requested. Also works if the run has already ended.
void TaskRunner::ResumeWish() {
  if (journal_.local().wish == RunWish::kNone) return;
  run_->stop_goes_on = true;
  if (journal_.local().wish == RunWish::kKill) {
    tracker_.SetKilled();
    kill_.Cancel("an earlier agent was killing the task");
    return;
  }
  tracker_.SetTriggered(journal_.local().wish == RunWish::kRestartFailure);
  if (!run_->exited.is_set()) background_.Spawn(CarryOut(shared_from_this(), StopRun(run_)));
}

void TaskRunner::ReportRestored() {
  if (!journal_.restored() || services_.restores == nullptr) return;
  const std::optional<RunId> run = run_ ? std::optional(run_->id()) : std::nullopt;
  services_.restores->Found(task_->driver, alloc_->id + "/" + name_, run);
}

// A delayed restart waits for the rest of its delay. The wall clock may have been set since the
// delay began, so the wait is never longer than the whole delay.
Co<TaskRunner::Step> TaskRunner::ResumeDelay() {
  if (!journal_.restored() || run_ || journal_.state().state != RunnerState::kPending ||
      !journal_.LastReported(event_type::kRestarting))
    co_return Step::kNext;
  const TaskEvent& last = journal_.state().events.back();
  const std::string text(last.Detail(event_key::kStartDelay));
  const Duration delay(std::strtoll(text.c_str(), nullptr, 10));
  const Duration since(std::max<WallTime>(0, loop_->Wall() - last.time));
  if (since < delay) {
    const JoinContext joined(kill_, shutdown_);
    (void)co_await Sleep(joined.context(), delay - since);
  }
  co_return shutdown_.cancelled() ? Step::kShutdown : Step::kNext;
}

Co<TaskRunner::Step> TaskRunner::GiveUpReattach(Error error) {
  ReportError(error.WithContext("task could not be re-attached"));
  if (journal_.local().wish == RunWish::kKill)
    kill_.Cancel("an earlier agent was killing the task");
  const bool was_running = running();
  co_await Discard(*journal_.local().run_id, true);
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  journal_.ForgetRun();
  co_await journal_.SaveOrReport();
  if (!was_running) co_return Step::kNext;
  const JobType type = alloc_->job->type;
  const bool system = type == JobType::kSystem || type == JobType::kSysbatch;
  if (system || !ShouldRun() || kill_.cancelled()) {
    journal_.SetState(RunnerState::kPending);
    co_return Step::kNext;
  }
  TaskEvent event(event_type::kRestoreFailed);
  if (!services_.wait_server_contact) {
    const std::string text = "failed to restore task; it is started again: " + error.message();
    journal_.SetState(RunnerState::kPending, std::move(event).Message(text));
    co_return Step::kNext;
  }
  journal_.SetState(
      RunnerState::kPending,
      std::move(event).Message("failed to restore task; will not run until server is contacted"));
  {
    const JoinContext joined(kill_, shutdown_);
    [[maybe_unused]] const Status heard = co_await services_.wait_server_contact(joined.context());
  }
  co_return shutdown_.cancelled() ? Step::kShutdown : Step::kNext;
}

}  // namespace drover
