// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_runner.h"

#include <algorithm>

#include "host/task/hooks/stats_hook.h"
#include "host/task/hooks/task_dir_hook.h"
#include "host/task/live_run.h"
#include "host/task/runner_outcome.h"

// The main coroutine of TaskRunner. Requests from outside only set events and cancel contexts, and
// this coroutine decides what the runner does next.
namespace drover {
namespace {

std::shared_ptr<const Task> TaskOf(const std::shared_ptr<const Allocation>& alloc,
                                   const std::string& name) {
  const TaskGroup* const group = alloc->group();
  const Task* const task = group == nullptr ? nullptr : FindTask(*group, name);
  if (task == nullptr) return nullptr;
  return std::shared_ptr<const Task>(alloc, task);  // keeps ALLOC alive
}

constexpr Duration kSaveAgain = 1s;  // the pause before Save is repeated, as in the store

RestartTracker::Random RandomOf(const TaskServices& services) {
  if (services.random) return services.random;
  return [](std::uint64_t bound) {
    std::uint64_t bits = 0;
    RandomBytes(&bits, sizeof bits);
    return bits % bound;
  };
}

}  // namespace

Result<std::shared_ptr<TaskRunner>> TaskRunner::Create(Loop* loop, TaskRunnerOptions options) {
  auto task = TaskOf(options.alloc, options.task_name);
  if (!task) {
    return Error(Code::kInvalidArgument, "allocation " + options.alloc->id + ": its group \"" +
                                             options.alloc->group_name + "\" has no task \"" +
                                             options.task_name + "\"");
  }
  DROVER_CHECK(options.services != nullptr && options.services->drivers != nullptr &&
               options.services->preparer != nullptr && options.gate != nullptr);
  auto runner =
      std::shared_ptr<TaskRunner>(new TaskRunner(loop, std::move(options), std::move(task)));
  runner->hooks_->Attach(runner);
  return runner;
}

TaskRunner::TaskRunner(Loop* loop, TaskRunnerOptions options, std::shared_ptr<const Task> task)
    : loop_(loop),
      services_(*options.services),
      name_(std::move(options.task_name)),
      location_(std::move(options.location)),
      gate_(options.gate),
      no_shutdown_delay_(std::move(options.no_shutdown_delay)),
      alloc_(std::move(options.alloc)),
      task_(std::move(task)),
      journal_(loop, JournalOptions(options), std::move(options.restored)),
      tracker_(EffectiveRestartPolicy(*alloc_->group(), *task_),
               RestartsOnSuccess(alloc_->job->type, *task_), journal_.attempts(),
               RandomOf(services_)),
      life_(loop),
      kill_(loop),
      shutdown_(loop),
      let_go_(loop),
      force_restart_(loop),
      update_(loop),
      background_(loop),
      outcome_(std::make_shared<Outcome>(loop)) {
  StatsCollector::Options stats;
  stats.interval = services_.stats_interval;
  stats_ = std::make_shared<StatsCollector>(loop, services_.stats_demand, stats);

  std::vector<std::shared_ptr<TaskHook>> hooks = std::move(options.hooks_before_dir);
  hooks.push_back(std::make_shared<TaskDirHook>(options.dir_builder));
  for (auto& hook : options.hooks_before_stats) hooks.push_back(std::move(hook));
  hooks.push_back(std::make_shared<StatsHook>(loop, services_.drivers, stats_));
  for (auto& hook : options.hooks_after_stats) hooks.push_back(std::move(hook));
  hooks_ = std::make_unique<HookChain>(std::move(hooks),
                                       [this](const Error& error) { ReportError(error); });
}

TaskRunner::~TaskRunner() = default;

TaskJournalOptions TaskRunner::JournalOptions(const TaskRunnerOptions& options) const {
  TaskJournalOptions journal;
  journal.task_name = name_;
  journal.store = options.store;
  journal.observer = options.observer;
  journal.save_timeout = services_.driver_timeout;
  journal.report = [this](const Error& error) { ReportError(error); };
  return journal;
}

Co<void> TaskRunner::Run() {
  const auto self = shared_from_this();
  DROVER_CHECK(!outcome_->begun);
  outcome_->begun = true;
  background_.Spawn(UpdateLoop(this));
  co_await RunWhole();
  life_.Cancel("the run has ended");
  if (run_) run_->watch.Cancel("the run has ended");
  co_await background_.Close();
  run_ = nullptr;
  outcome_->ended.Set();
}

Co<void> TaskRunner::RunWhole() {
  if (journal_.local().run_complete) {
    ReportRestored();
    // The local state says that the task has ended for good. The task's state is another record,
    // which may be lost or older. If that state is not dead, it is corrected here.
    if (!dead()) journal_.SetState(RunnerState::kDead);
    co_return co_await Complete();
  }
  Step step = co_await Restore();
  ReportRestored();
  if (step == Step::kNext) step = co_await ResumeDelay();
  while (step != Step::kShutdown) {
    if (step != Step::kEnd) step = co_await MainLoop();
    if (step != Step::kShutdown) step = co_await StopLeftover();
    if (step == Step::kShutdown) break;
    if (!dead()) journal_.SetState(RunnerState::kDead);
    if (journal_.local().run_id && co_await ForgetEnded() == Step::kShutdown)
      break;  // at a shutdown the leftover run stays in the record
    step = co_await ParkDead();
    if (step == Step::kEnd) co_return co_await Complete();
  }
}

Co<TaskRunner::Step> TaskRunner::MainLoop() {
  while (ShouldRun()) {
    if (run_ && run_->exited.is_set()) {  // the run ended while no agent watched it
      if (!run_->announced)
        journal_.SetState(RunnerState::kRunning, TaskEvent(event_type::kStarted));
      const Step after = co_await AfterExit();
      if (after != Step::kAgain) co_return after;
      continue;
    }
    Step step = co_await WaitTurn();
    if (step == Step::kNext && !run_ && no_start_) {
      MarkFailedKill(*no_start_);
      co_return Step::kEnd;
    }
    if (step == Step::kNext) step = co_await Prestart();
    if (step == Step::kNext) step = co_await StartDriver();
    if (step == Step::kNext) step = co_await RunToExit();
    if (step != Step::kAgain) co_return step;
  }
  co_return Step::kEnd;
}

bool TaskRunner::ShouldRun() const {
  if (IsTerminal(alloc_->client_status)) return false;
  return !alloc_->server_terminal() || IsPoststop(*task_);
}

Co<TaskRunner::Step> TaskRunner::WaitTurn() {
  // Only a start waits for the start gate. A task that already runs does not.
  if (!run_ && !kill_.cancelled() && !shutdown_.cancelled()) {
    const JoinContext joined(kill_, shutdown_);
    [[maybe_unused]] const Status open = co_await gate_->WaitOpen(joined.context());
    // The next steps need the properties of the task's driver, so the driver must be loaded.
    if (services_.restores != nullptr)
      (void)co_await services_.restores->WaitLoaded(joined.context(), task_->driver);
  }
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  if (kill_.cancelled() || !ShouldRun()) co_return Step::kEnd;
  co_return Step::kNext;
}

Co<TaskRunner::Step> TaskRunner::RunToExit() {
  const auto run = run_;
  {
    const JoinContext joined(kill_, shutdown_);
    Context started = joined.context().Child();  // also ends when the task ends
    const Subscription on_exit =
        run->exited.OnSet([started]() mutable { started.Cancel("the task has ended"); });
    if (!started.cancelled()) co_await RunHooks(HookStage::kPoststart, started);
    [[maybe_unused]] const Status exited = co_await run->exited.Wait(joined.context());
  }
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  if (kill_.cancelled()) co_await KillTask(run);
  if (!run->exited.is_set()) co_return Step::kShutdown;
  co_return co_await AfterExit();
}

Co<TaskRunner::Step> TaskRunner::AfterExit() {
  tracker_.SetExit(*run_->result);
  co_await EndRun();
  co_return co_await Decide();
}

Co<void> TaskRunner::EndRun() {
  const auto run = run_;
  // The end is stored before it is reported. If the agent dies before the report, the next agent
  // finds the end in the record. The driver may no longer have the run when the next agent starts.
  journal_.SetExit(*run->result);
  const Status saved = co_await journal_.Save();
  ReportDropped(run.get());
  if (!run->end_reported) journal_.Emit(TerminatedEvent(*run->result));
  Unwatch();
  if (saved.ok()) {
    co_await Discard(run->id(), run->unsure);
  } else {
    ReportError(saved.error());
    unsaved_end_ = run;
  }
  run_ = nullptr;
  co_await RunHooks(HookStage::kExited, shutdown_, run);
}

// Removes the ended run from the record. The runner first stores the end of the run, and only then
// destroys the run. As long as the end is not stored, only the driver can report the end to the
// next agent. At a shutdown the run stays in the record, because it may not have been destroyed.
Co<TaskRunner::Step> TaskRunner::ForgetEnded() {
  while (unsaved_end_) {
    const Status saved = co_await journal_.Save();
    if (saved.ok() || let_go_.cancelled()) {
      co_await Discard(unsaved_end_->id(), unsaved_end_->unsure);
      unsaved_end_ = nullptr;
      break;
    }
    const JoinContext joined(shutdown_, let_go_);
    (void)co_await Sleep(joined.context(), kSaveAgain);
    if (shutdown_.cancelled()) co_return Step::kShutdown;
  }
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  journal_.ForgetRun();
  co_await journal_.SaveOrReport();
  co_return Step::kNext;
}

Co<TaskRunner::Step> TaskRunner::Decide() {
  using Kind = RestartTracker::Kind;
  const RestartTracker::Decision decision = tracker_.Next(loop_->Now());
  journal_.SetAttempts(tracker_.counted());
  switch (decision.kind) {
    case Kind::kKilled: {
      const Status& killed = outcome_->kill_status;
      const std::string error = killed.ok() ? std::string() : killed.error().message();
      journal_.SetState(RunnerState::kDead,
                        TaskEvent(event_type::kKilled).With(event_key::kKillError, error));
      break;
    }
    case Kind::kTerminated:
      journal_.SetState(RunnerState::kDead);
      break;
    case Kind::kNotRestarting:
      journal_.SetState(RunnerState::kDead, TaskEvent(event_type::kNotRestarting)
                                                .With(event_key::kRestartReason, decision.reason)
                                                .FailsTask());
      break;
    case Kind::kRestarting:
      journal_.SetState(RunnerState::kPending, RestartingEvent(decision.delay, decision.reason));
      break;
  }
  // The decision must be published before the run is removed from the record.
  if (journal_.local().run_id && co_await ForgetEnded() == Step::kShutdown)
    co_return Step::kShutdown;
  if (decision.kind != Kind::kRestarting) co_return Step::kEnd;
  if (decision.delay > 0s) {
    const JoinContext joined(kill_, shutdown_);
    [[maybe_unused]] const Status slept = co_await Sleep(joined.context(), decision.delay);
  }
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  co_return kill_.cancelled() ? Step::kEnd : Step::kAgain;
}

Co<TaskRunner::Step> TaskRunner::StopLeftover() {
  if (!run_) co_return Step::kEnd;
  const auto run = run_;
  const bool goes_on = run->stop_goes_on && journal_.local().wish == RunWish::kKill;
  if (!run->exited.is_set()) {
    co_await KillTask(run);
    // Clears this kill from the tracker, so that it does not affect a later decision.
    if (!goes_on) tracker_.Next(loop_->Now());
  }
  if (!run->exited.is_set()) co_return Step::kShutdown;
  co_await EndRun();
  // Emits the same events as if the agent had not been restarted during the kill.
  if (goes_on) co_return co_await Decide();
  co_return Step::kEnd;
}

Co<TaskRunner::Step> TaskRunner::ParkDead() {
  if (IsPoststop(*task_)) co_return Step::kEnd;
  while (true) {
    {
      const JoinContext joined(kill_, shutdown_);
      [[maybe_unused]] const Status asked = co_await force_restart_.Wait(joined.context());
    }
    if (shutdown_.cancelled()) co_return Step::kShutdown;
    if (kill_.cancelled()) co_return Step::kEnd;
    force_restart_.Reset();
    const Step step = co_await Decide();
    if (step != Step::kEnd) co_return step;
    if (!dead()) journal_.SetState(RunnerState::kDead);
  }
}

Co<void> TaskRunner::Complete() {
  if (!journal_.local().run_complete) {
    journal_.SetComplete();
    co_await journal_.SaveOrReport();
  }
  co_await RunHooks(HookStage::kStop, shutdown_);
}

}  // namespace drover
