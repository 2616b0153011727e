// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/base/patience.h"
#include "host/task/live_run.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that runs the prestart hooks and starts the task with its driver.
namespace drover {
namespace {

// Eight hex digits that make the id of each start unique.
std::string StartSuffix() { return RunId::Random().ToString().substr(0, 8); }

}  // namespace

Result<Driver*> TaskRunner::FindDriver() const {
  Driver* const driver = services_.drivers->Find(task_->driver);
  if (driver != nullptr) return driver;
  return Error(Code::kUnavailable,
               "unknown driver \"" + task_->driver + "\": no plugin of that name is loaded");
}

PrepareRequest TaskRunner::MakePrepareRequest() const {
  PrepareRequest request;
  request.alloc = alloc_;
  request.task = task_;
  const Result<Driver*> driver = FindDriver();
  request.driver = driver.ok() ? (*driver)->info() : DriverInfo();
  if (!driver.ok()) request.driver.name = task_->driver;
  request.location = location_;
  request.hook_env = prepared_.env;
  request.device_env = prepared_.device_env;
  request.mounts = prepared_.mounts;
  request.devices = prepared_.devices;
  request.user = prepared_.user;
  request.network = journal_.local().network;
  return request;
}

Co<TaskRunner::Step> TaskRunner::Prestart() {
  PrestartRequest request;
  {
    const PrepareRequest prepare = MakePrepareRequest();
    request.alloc = alloc_;
    request.task = task_;
    request.location = location_;
    request.driver = prepare.driver;
    // A mistake in the job is reported when the driver's configuration is made.
    const auto user =
        services_.preparer->Interpolate(prepare, std::vector<std::string>(1, task_->user));
    request.user = user.ok() ? user->front() : task_->user;
    request.running = run_ != nullptr;
  }
  std::function<Co<Status>()> save = [this] { return journal_.Save(); };
  HookChain::PrestartResult result = co_await hooks_->Prestart(kill_, shutdown_, std::move(request),
                                                               journal_.hooks(), std::move(save));
  if (shutdown_.cancelled()) co_return Step::kShutdown;
  if (kill_.cancelled() || !ShouldRun()) co_return Step::kEnd;
  if (auto* failed = std::get_if<HookChain::Failed>(&result)) {
    if (run_) {
      // An earlier agent started the run after its own prestart hooks, so the task keeps running.
      // The next start calls the hooks again.
      ReportError(failed->error.WithContext("the task keeps running"));
      co_return Step::kNext;
    }
    journal_.Emit(std::move(failed->event));
    tracker_.SetStartError(std::move(failed->error));
    co_return co_await Decide();
  }
  prepared_ = std::move(std::get<HookChain::Prepared>(result));
  co_return Step::kNext;
}

// RUNNING is true if an earlier agent started the run. The configuration of such a run may no
// longer be valid, for example because it refers to metadata that the node has lost. For a running
// task, an invalid configuration is no error. The next start of the task reports the error.
Result<std::shared_ptr<const TaskConfig>> TaskRunner::MakeConfig(RunId run, std::string id,
                                                                 bool running) {
  PrepareRequest request = MakePrepareRequest();
  request.running = running;
  DROVER_ASSIGN(TaskConfig config, services_.preparer->Prepare(request));
  config.run_id = run;
  config.id = std::move(id);
  config.kill_timeout = KillTimeout();
  if (const Result<Driver*> driver = FindDriver(); driver.ok()) {
    Result<std::string> checked = (*driver)->NormalizeConfig(config.driver_config_json, true);
    if (!checked.ok() && !running) return checked.error();
    if (checked.ok()) config.driver_config_json = std::move(*checked);
  }
  return std::make_shared<const TaskConfig>(std::move(config));
}

Co<TaskRunner::Step> TaskRunner::StartDriver() {
  if (run_) {  // an earlier agent has started the run
    if (run_->announced) {
      journal_.SetState(RunnerState::kRunning);
    } else {
      journal_.SetState(RunnerState::kRunning, TaskEvent(event_type::kStarted));
    }
    co_return Step::kNext;
  }
  // A start with an unknown driver fails at once, because nothing would ever open the barrier of
  // that driver.
  if (services_.restores != nullptr && services_.drivers->Find(task_->driver) != nullptr) {
    const JoinContext joined(kill_, shutdown_);
    (void)co_await services_.restores->WaitOpen(joined.context(), task_->driver);
    if (shutdown_.cancelled()) co_return Step::kShutdown;
    if (kill_.cancelled()) co_return Step::kEnd;
  }
  for (bool retried = false;; retried = true) {
    const RunId run = RunId::Random();
    auto config =
        MakeConfig(run, alloc_->id + "/" + name_ + "/" + StartSuffix(), /*running=*/false);
    if (!config.ok()) {
      journal_.Emit(TaskEvent(event_type::kFailedValidation)
                        .With(event_key::kValidationError, config.error().message()));
      tracker_.SetStartError(Error(config.code(), config.error().message()));
      co_return co_await Decide();
    }
    Status started = co_await PrepareStart(*config);
    if (started.ok()) started = co_await TryStart(*config);
    if (started.ok()) break;
    if (shutdown_.cancelled()) co_return Step::kShutdown;
    if (kill_.cancelled()) co_return Step::kEnd;
    // The plugin may have been lost during the start. By now the plugin is loaded again, or it will
    // not be loaded again soon. So one retry is enough.
    if (started.code() == Code::kUnavailable && !retried && FindDriver().ok()) continue;
    journal_.Emit(TaskEvent(event_type::kDriverFailure)
                      .With(event_key::kDriverError, started.error().message()));
    tracker_.SetStartError(started.error());
    co_return co_await Decide();
  }
  journal_.SetState(RunnerState::kRunning, TaskEvent(event_type::kStarted));
  co_return Step::kNext;
}

// Lets the driver fetch what the task needs. There is no run yet: if the agent dies meanwhile, the
// next one begins anew.
Co<Status> TaskRunner::PrepareStart(std::shared_ptr<const TaskConfig> config) {
  const Result<Driver*> driver = FindDriver();
  if (!driver.ok() || !(*driver)->Prepares()) co_return Status();
  const JoinContext joined(kill_, shutdown_);
  const Duration limit =
      std::max(services_.prepare_timeout + (*driver)->LimitOf(&DriverLimits::extend),
               Backstop(**driver, &DriverLimits::prepare));
  const Patience patience(joined.context(), limit);
  const Context context = patience.context();
  HearProgress hear = [this](const TaskProgress& progress) {
    journal_.Emit(ProgressEventOf(progress));
  };
  const Status prepared = co_await (*driver)->PrepareTask(context, config, std::move(hear));
  if (prepared.ok()) co_return prepared;
  const Error error = prepared.error().WithContext("preparing the task");
  const bool late = error.code() == Code::kTimeout && !joined.context().cancelled();
  co_return late ? error.AsRecoverable() : error;
}

Co<Status> TaskRunner::TryStart(std::shared_ptr<const TaskConfig> config) {
  const Result<Driver*> driver = FindDriver();
  if (!driver.ok()) co_return driver.error();
  StartTurns::Turn turn;  // others wait until this start has ended
  if (StartTurns* const turns = (*driver)->start_turns()) {
    const JoinContext joined(kill_, shutdown_);
    DROVER_CO_ASSIGN(turn, co_await turns->Take(joined.context()));
  }
  // The run's id is stored first. So if this agent dies during the start, the next agent finds the
  // run by its id.
  journal_.BeginRun(config);
  const Status intent = co_await journal_.Save();
  if (!intent.ok()) {
    journal_.ForgetRun();
    co_return intent.error().WithContext("the start could not be recorded").AsRecoverable();
  }
  Result<StartedTask> started = Error(Code::kInternal, "");
  {
    const JoinContext joined(kill_, shutdown_);
    const Duration limit =
        std::max(services_.start_timeout + (*driver)->LimitOf(&DriverLimits::extend),
                 Backstop(**driver, &DriverLimits::start));
    const Patience patience(joined.context(), limit);
    const Context context = patience.context();
    const Subscription on_events = (*driver)->OnEvents(
        config->run_id, [this](const DriverEvent& event) { HearDriver(event); });
    started = co_await (*driver)->Start(context, config);
    if (started.code() == Code::kTimeout && !joined.context().cancelled()) {
      // The driver's own timeout error already contains the time limit of the plugin.
      started = context.cancelled()
                    ? Error(Code::kTimeout,
                            "driver \"" + task_->driver + "\" has not started the task within " +
                                FormatDuration(limit),
                            true)
                    : started.error().AsRecoverable();
    }
  }
  if (!started.ok()) {
    // At a shutdown the run's id stays stored, and the next agent asks the driver for the run.
    if (shutdown_.cancelled()) co_return started.error();
    co_await Discard(config->run_id, false);
    if (shutdown_.cancelled()) co_return started.error();
    journal_.ForgetRun();
    co_await journal_.SaveOrReport();
    co_return started.error();
  }
  journal_.SetHandle(std::move(started->handle));
  journal_.SetNetwork(std::move(started->network));
  Adopt(config, std::nullopt);
  // If this record cannot be stored, the next agent finds the run by its stored id.
  co_await journal_.SaveOrReport();
  co_return Status();
}

}  // namespace drover
