// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "host/base/patience.h"
#include "host/task/live_run.h"
#include "host/task/runner_outcome.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that handles requests from outside and calls the hooks. A waiting request
// holds a reference to the runner or to its Outcome, so the request never uses a deleted object.
namespace drover {
namespace {

Error NotRunning() { return Error(Code::kFailedPrecondition, "Task not running"); }

}  // namespace

bool TaskRunner::ended() const { return outcome_->ended.is_set(); }

Co<void> TaskRunner::WaitEnded() {
  const auto outcome = outcome_;
  co_await outcome->ended.Wait();
}

void TaskRunner::StartKill(std::optional<TaskEvent> event) {
  if (outcome_->ended.is_set()) return;
  const bool killing = event && event->type == event_type::kKilling;
  const bool pointless = killing && (journal_.state().finished_at != 0 || kill_.cancelled() ||
                                     journal_.HasReported(event_type::kKilling));
  if (event && !pointless) journal_.Emit(std::move(*event));
  kill_.Cancel("the task is being killed");
}

Co<Status> TaskRunner::Kill(std::optional<TaskEvent> event) {
  const auto outcome = outcome_;
  StartKill(std::move(event));
  co_await outcome->ended.Wait();
  co_return outcome->kill_status;
}

TaskEvent TaskRunner::MakeKillingEvent() const { return KillingEvent(KillTimeout()); }

Co<Status> TaskRunner::Restart(TaskEvent event, bool failure) {
  const auto self = shared_from_this();
  co_return co_await RestartRunning(std::move(event), failure);
}

Co<Status> TaskRunner::ForceRestart(TaskEvent event, bool failure) {
  const auto self = shared_from_this();
  const bool has_exited = journal_.local().exit || (run_ && run_->exited.is_set());
  const bool undecided = running() && has_exited;
  if (!dead() && !undecided) co_return co_await RestartRunning(std::move(event), failure);
  if (kill_.cancelled() || shutdown_.cancelled() || journal_.local().run_complete ||
      outcome_->ended.is_set()) {
    co_return NotRunning();
  }
  journal_.Emit(std::move(event));
  tracker_.SetTriggered(failure);
  // If the runner has not decided yet what follows the end of the run, its decision will include
  // this request. Otherwise the task is dead, and FORCE_RESTART_ makes the runner start it.
  if (!undecided) force_restart_.Set();
  co_return Status();
}

// Returns the run that runs now, which this agent may not have taken over yet. Then the request
// waits for that. A request for a run that ends meanwhile is none for the next run.
Co<Result<std::shared_ptr<LiveRun>>> TaskRunner::PresentRun() {
  const std::optional<RunId> wanted = journal_.local().run_id;
  if (!run_ && running() && wanted && !journal_.local().exit) {
    const auto taken_over = co_await LazyRun(shutdown_);
    if (!taken_over.ok()) co_return taken_over.error();
    if ((*taken_over)->id() != *wanted) co_return NotRunning();
  }
  if (!run_ || run_->exited.is_set()) co_return NotRunning();
  co_return run_;
}

Co<Status> TaskRunner::RestartRunning(TaskEvent event, bool failure) {
  if (!running() || kill_.cancelled()) co_return NotRunning();
  DROVER_CO_ASSIGN(const auto run, co_await PresentRun());
  if (!running() || kill_.cancelled()) co_return NotRunning();
  journal_.Emit(std::move(event));
  tracker_.SetTriggered(failure);
  const RunWish wish = failure ? RunWish::kRestartFailure : RunWish::kRestart;
  co_await NoteWish(wish);
  co_await RunHooks(HookStage::kPrekill, shutdown_);
  co_return co_await StopRun(run);
}

Co<Status> TaskRunner::Signal(TaskEvent event, std::string signal) {
  const auto self = shared_from_this();
  DROVER_CO_ASSIGN(const auto run, co_await PresentRun());
  journal_.Emit(std::move(event));
  DROVER_CO_ASSIGN(Driver* const driver, FindDriver());
  const Patience patience(life_, Backstop(*driver, &DriverLimits::signal));
  co_return co_await driver->Signal(patience.context(), run->id(), std::move(signal));
}

Co<Result<std::unique_ptr<TaskExecSession>>> TaskRunner::Exec(Context context,
                                                              ExecRequest request) {
  const auto self = shared_from_this();
  DROVER_CO_ASSIGN(const auto run, co_await LazyRun(context));
  DROVER_CO_ASSIGN(Driver* const driver, FindDriver());
  if (!driver->info().can_exec)
    co_return Error(Code::kUnimplemented, "task driver does not support exec");
  if (journal_.state().paused)
    co_return Error(Code::kFailedPrecondition, "Task is paused: resume it first");
  if (request.interpolate) {
    DROVER_CO_ASSIGN(request.command, services_.preparer->Interpolate(MakePrepareRequest(),
                                                                      std::move(request.command)));
  }
  co_return co_await driver->Exec(context, run->id(), std::move(request));
}

Co<Result<TaskStatus>> TaskRunner::Inspect(Context context) {
  const auto self = shared_from_this();
  const auto run = run_;
  if (!run) co_return NotRunning();
  DROVER_CO_ASSIGN(Driver* const driver, FindDriver());
  co_return co_await driver->Inspect(context, run->id());
}

void TaskRunner::MarkFailedKill(std::string reason) {
  TaskEvent event = TaskEvent(event_type::kSetupFailure)
                        .With(event_key::kKillReason, event_type::kRestoreFailed)
                        .FailsTask();
  event.display_message = CleanEventText(reason);
  StartKill(std::move(event));
}

void TaskRunner::Update(std::shared_ptr<const Allocation> alloc) {
  const TaskGroup* const group = alloc->group();
  const Task* const task = group == nullptr ? nullptr : FindTask(*group, name_);
  if (task == nullptr) {
    StartKill(TaskEvent(event_type::kKilled)
                  .With(event_key::kKillReason, "update missing task")
                  .FailsTask());
    return;
  }
  tracker_.SetPolicy(EffectiveRestartPolicy(*group, *task));
  task_ = std::shared_ptr<const Task>(alloc, task);
  alloc_ = std::move(alloc);
  update_.Set();  // updates that arrive while the hooks run are merged into one
}

void TaskRunner::SetNetwork(const AllocationNetwork& network) {
  auto with = std::make_shared<Allocation>(*alloc_);
  with->network = network;
  task_ = std::shared_ptr<const Task>(with, task_.get());  // a task of the same job
  alloc_ = std::move(with);
}

Co<void> TaskRunner::UpdateLoop(TaskRunner* self) {
  while (true) {
    [[maybe_unused]] const Status status = co_await self->update_.Wait(self->life_);
    if (self->life_.cancelled()) break;
    self->update_.Reset();
    if (self->dead()) continue;
    const JoinContext ended(self->kill_, self->shutdown_);
    const JoinContext joined(ended.context(), self->life_);
    co_await self->RunHooks(HookStage::kUpdate, joined.context());
  }
}

Co<void> TaskRunner::Shutdown() {
  const auto self = shared_from_this();
  shutdown_.Cancel("the agent is shutting down");
  if (outcome_->begun) co_await outcome_->ended.Wait();
  const Context context(loop_);
  co_await RunHooks(HookStage::kShutdown, context);
  // If Run was never called, there is no change to save. A new task then stays without records, so
  // the next agent also treats the task as new.
  if (outcome_->begun) co_await journal_.SaveOrReport();
}

void TaskRunner::EmitEvent(TaskEvent event) { journal_.Emit(std::move(event)); }

Co<void> TaskRunner::CarryOut(std::shared_ptr<TaskRunner> self, Co<Status> request) {
  const Status status = co_await std::move(request);
  if (!status.ok()) self->ReportError(status.error());
}

void TaskRunner::RequestRestart(TaskEvent event, bool failure) {
  background_.Spawn(CarryOut(shared_from_this(), Restart(std::move(event), failure)));
}

void TaskRunner::RequestKill(TaskEvent event) { StartKill(std::move(event)); }

void TaskRunner::RequestSignal(TaskEvent event, std::string signal) {
  background_.Spawn(CarryOut(shared_from_this(), Signal(std::move(event), std::move(signal))));
}

Co<Status> TaskRunner::SaveHookData(std::string name, StringMap data) {
  const auto self = shared_from_this();
  HookState& kept = (*journal_.hooks())[name];
  if (kept.data == data) co_return Status();
  kept.data = std::move(data);
  co_return co_await journal_.Save();
}

Co<void> TaskRunner::RunHooks(HookStage stage, Context context, std::shared_ptr<LiveRun> ended) {
  PoststartRequest request;
  request.alloc = alloc_;
  request.task = task_;
  if (run_) request.config = run_->config;
  if (const LiveRun* const run = ended ? ended.get() : run_.get()) request.run = run->id();
  if (ended) request.exited = ended->result;
  request.network = journal_.local().network;
  co_await hooks_->Run(stage, context, std::move(request), journal_.hooks());
}

void TaskRunner::ReportError(const Error& error) const {
  if (services_.report) services_.report(name_, error);
}

}  // namespace drover
