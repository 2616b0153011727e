// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "host/task/live_run.h"
#include "host/task/task_runner.h"

// What an earlier agent left: a task that runs, that has ended meanwhile, or whose start it did not
// survive.
namespace drover {
namespace {

// Between two times that a driver which may come back is asked: twice as long each time, since a
// recover that it does not survive costs its other tasks something, too.
constexpr Duration kAskFirst = 5s;
constexpr Duration kAskLast = 10min;

}  // namespace

Co<TaskRunner::Step> TaskRunner::Restore() {
  if (!options_.restored) co_return Step::kNext;
  // Hooks that are done do not run again; what they added to the environment counts all the same.
  prepared_.env = hooks_->StoredEnv(local_.hooks);
  if (state_.state == RunnerState::kDead) {
    if (local_.run_id) {
      co_await Discard(*local_.run_id, true);
      // It may not have been discarded: the next agent looks after it.
      if (shutdown_.cancelled()) co_return Step::kShutdown;
      ForgetRun();
      co_await SaveOrReport();
    }
    Publish();
    co_return shutdown_.cancelled() ? Step::kShutdown : Step::kEnd;
  }
  if (!local_.run_id) {
    // Running without a run cannot be: the record is damaged, and nothing is left to find.
    if (state_.state == RunnerState::kRunning) SetState(RunnerState::kPending);
    co_return Step::kNext;
  }
  if (local_.exit) co_return co_await ResumeExit();
  co_return co_await Reattach();
}

Co<TaskRunner::Step> TaskRunner::ResumeExit() {
  if (LastTold(event_type::kRestarting)) {  // what follows was decided; only the run is left
    co_await Discard(*local_.run_id, true);
    if (shutdown_.cancelled()) co_return Step::kShutdown;
    ForgetRun();
    co_await SaveOrReport();
    co_return Step::kNext;
  }
  auto config = local_.config;
  if (!config) {  // all that the end needs
    auto bare = std::make_shared<TaskConfig>();
    bare->run_id = *local_.run_id;
    bare->id = local_.task_config_id;
    bare->task_name = name_;
    config = std::move(bare);
  }
  Adopt(config, local_.exit);
  ResumeWish();
  run_->end_told = LastTold(event_type::kTerminated);
  co_return Step::kNext;
}

Co<TaskRunner::Step> TaskRunner::Reattach() {
  const RunId run = *local_.run_id;
  if (options_.restores != nullptr) {
    (void)co_await options_.restores->WaitLoaded(shutdown_, task_->driver);
    if (shutdown_.cancelled()) co_return Step::kShutdown;
  }
  auto config = local_.config;
  if (!config) {
    auto made = MakeConfig(run, local_.task_config_id, /*running=*/true);
    if (!made.ok()) co_return co_await GiveUpReattach(made.error());
    config = std::move(*made);
  }
  // A kill does not end this: what is to be stopped must be found first.
  Result<RecoveredTask> recovered = co_await AskRecover(shutdown_, config);
  // Nor is what is to end kept waiting for its driver.
  const bool wanted = ShouldRun() && local_.wish != RunWish::kKill;
  if (wanted && MayComeBack(recovered)) recovered = co_await AwaitDriver(config, recovered.error());
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  if (!recovered.ok()) {
    const bool intent_only = !local_.handle;
    if (!intent_only || recovered.code() != Code::kNotFound)
      co_return co_await GiveUpReattach(recovered.error());
    // It was never started: the start is made again and counts as the first.
    ForgetRun();
    if (state_.state == RunnerState::kRunning) SetState(RunnerState::kPending);
    co_return Step::kNext;
  }
  if (LastTold(event_type::kPluginUnhealthy))
    EmitEvent(TaskEvent(event_type::kPluginHealthy)
                  .Message("Driver \"" + task_->driver + "\" has taken the task over"));
  Adopt(config, std::move(recovered->exited));
  ResumeWish();
  // An agent that died between the start and its record has not told of it. The two are records of
  // their own.
  run_->announced = local_.handle.has_value() && state_.state == RunnerState::kRunning;
  local_.config = config;
  local_.handle = std::move(recovered->handle);
  co_await SaveOrReport();
  co_return Step::kNext;
}

// Whether the driver, which has not said what became of the run, may say so later: an operator may
// bring back one that is broken, and what the machine lacks now it may have then.
bool TaskRunner::MayComeBack(const Result<RecoveredTask>& recovered) const {
  if (recovered.ok()) return false;
  if (recovered.code() == Code::kTimeout) return true;
  if (recovered.code() != Code::kUnavailable) return false;
  if (recovered.error().recoverable()) return true;
  const Result<Driver*> driver = FindDriver();
  return driver.ok() && (*driver)->fingerprint().health == Health::kUnhealthy;
}

// Asks again until the driver says it. The task lives in its shim meanwhile, whatever became of the
// plugin. A kill does not wait for that.
Co<Result<RecoveredTask>> TaskRunner::AwaitDriver(std::shared_ptr<const TaskConfig> config,
                                                  Error first) {
  ReportError(first.WithContext("task could not be re-attached yet"));  // clients may be refused
  if (!LastTold(event_type::kPluginUnhealthy))
    EmitEvent(TaskEvent(event_type::kPluginUnhealthy)
                  .Message("Driver \"" + task_->driver +
                           "\" does not take the task over, which runs on: " + first.message()));
  const JoinContext joined(kill_, shutdown_);
  Result<RecoveredTask> recovered = std::move(first);
  for (Duration pause = kAskFirst; MayComeBack(recovered); pause = std::min(2 * pause, kAskLast)) {
    const Status slept = co_await Sleep(joined.context(), pause);
    if (!slept.ok()) co_return recovered;
    recovered = co_await AskRecover(joined.context(), config);
  }
  co_return recovered;
}

// What was asked of the run goes on, whether it has led to its end or not.
void TaskRunner::ResumeWish() {
  if (local_.wish == RunWish::kNone) return;
  run_->stop_goes_on = true;
  if (local_.wish == RunWish::kKill) {
    tracker_.SetKilled();
    kill_.Cancel("the agent before was killing the task");
    return;
  }
  tracker_.SetTriggered(local_.wish == RunWish::kRestartFailure);
  if (!run_->exited.is_set()) background_.Spawn(CarryOut(shared_from_this(), StopRun(run_)));
}

void TaskRunner::TellRestored() {
  if (!options_.restored || options_.restores == nullptr) return;
  const std::optional<RunId> run = run_ ? std::optional(run_->id()) : std::nullopt;
  options_.restores->Found(task_->driver, alloc_->id + "/" + name_, run);
}

// A restart that was to come after a delay comes when that is over, not at once. The wall clock may
// have been set since, so it is believed up to the whole delay only.
Co<TaskRunner::Step> TaskRunner::ResumeDelay() {
  if (!options_.restored || run_ || state_.state != RunnerState::kPending ||
      !LastTold(event_type::kRestarting))
    co_return Step::kNext;
  const TaskEvent& last = state_.events.back();
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
  if (local_.wish == RunWish::kKill) kill_.Cancel("the agent before was killing the task");
  const bool was_running = state_.state == RunnerState::kRunning;
  co_await Discard(*local_.run_id, true);
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  ForgetRun();
  co_await SaveOrReport();
  if (!was_running) co_return Step::kNext;
  const JobType type = alloc_->job->type;
  const bool system = type == JobType::kSystem || type == JobType::kSysbatch;
  if (system || !ShouldRun() || kill_.cancelled()) {
    SetState(RunnerState::kPending);
    co_return Step::kNext;
  }
  TaskEvent event(event_type::kRestoreFailed);
  if (!options_.wait_server_contact) {
    const std::string text = "failed to restore task; it is started again: " + error.message();
    SetState(RunnerState::kPending, std::move(event).Message(text));
    co_return Step::kNext;
  }
  SetState(
      RunnerState::kPending,
      std::move(event).Message("failed to restore task; will not run until server is contacted"));
  {
    const JoinContext joined(kill_, shutdown_);
    [[maybe_unused]] const Status heard = co_await options_.wait_server_contact(joined.context());
  }
  co_return shutdown_.cancelled() ? Step::kShutdown : Step::kNext;
}

}  // namespace drover
