// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/contained_driver.h"

#include "host/base/patience.h"
#include "host/plugin/broken_driver.h"

namespace drover {

ContainedDriver::ContainedDriver(Parts parts)
    : parts_(std::move(parts)),
      info_(ToDriverInfo(parts_.driver.info)),
      port_(std::make_shared<LoopPort>(parts_.driver.loop)),
      ready_event_(parts_.driver.loop),
      ended_(parts_.driver.loop),
      life_(parts_.driver.loop),
      gate_(parts_.driver.loop) {
  if (!parts_.told_handles) parts_.told_handles = std::make_shared<ToldHandles>();
  fingerprint_.description = "the driver has not told its health yet";
}

ContainedDriver::~ContainedDriver() {
  port_->Close();
  Follow(nullptr);
}

Co<void> ContainedDriver::Shutdown() {
  if (ending_) co_return;
  ending_ = true;
  life_.Cancel("the driver is being shut down");
  ready_event_.Set();  // who waits for it hears that it will not come
  co_await gate_.Close();
  const Living driver = current_;
  // A process that has made no instance has nothing that a shutdown could spare.
  if (driver && container_ && !driver->has_instance())
    container_->Kill("it was given up before it had made its instance", /*ask=*/false);
  if (driver) co_await driver->Shutdown();
  ready_ = false;
  health_.Cancel();
  container_ = nullptr;
  port_->Close();
  Update();
}

Co<void> ContainedDriver::AwaitFirstFingerprint(Context context) {
  const Living driver = current_;
  if (driver) (void)co_await driver->first_fingerprint()->Wait(context);
}

ContainerStatus ContainedDriver::status() const {
  ContainerStatus status;
  status.launches = generation_;
  status.last_end = last_end_;
  status.death = last_death_;
  status.died_at = died_at_;
  status.output = container_ ? container_->output() : std::string();
  if (status.output.empty()) status.output = last_output_;
  if (container_ && container_->alive()) status.pid = container_->pid();
  return status;
}

// ------------------------------------------------------------------------------- who is asked

Error ContainedDriver::Unavailable() const {
  const std::string why = ending_ ? "driver " + info_.name + " is being shut down" : reason_;
  return Error(Code::kUnavailable, why, true);
}

Co<Result<ContainedDriver::Living>> ContainedDriver::Ready(Context context) {
  while (!ready_ && !ending_) DROVER_CO_TRY(co_await ready_event_.Wait(context));
  DROVER_CO_TRY(context.status());
  if (ending_) co_return Unavailable();
  co_return current_;
}

Co<Result<ContainedDriver::Living>> ContainedDriver::Live(Context context) {
  const Patience patience(context, limits().relaunch_patience);
  Result<Living> driver = co_await Ready(patience.context());
  if (driver.ok() || context.cancelled()) co_return driver;
  co_return Unavailable();
}

// Whether DRIVER's process has ended. The end of a call may be heard before that of the process.
bool ContainedDriver::Lost(const Living& driver) {
  if (ready_ && driver == current_ && container_->alive()) return false;
  if (driver == current_) {
    ready_ = false;
    ready_event_.Reset();
  }
  return true;
}

ContainedDriver::Run* ContainedDriver::FindRun(const RunId& run) {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

// --------------------------------------------------------------------------- start and recover

// A call that gave the driver RUN ended with its process: the next one was told of the run like of
// all others. ERROR is the call's, when nothing comes of it.
Co<Result<RecoveredTask>> ContainedDriver::AwaitRecovered(Context context, RunId id, Error error) {
  Run* run = FindRun(id);
  if (run == nullptr) co_return error;
  run->wanted = true;
  const Result<Living> back = co_await Live(context);
  run = FindRun(id);
  if (run == nullptr || !back.ok()) co_return error;
  if (run->lost) co_return *run->lost;
  if (run->generation != generation_) co_return error;
  run->news.Heard(id, loop()->Now(), parts_.told_handles.get());
  co_return RecoveredTask{run->handle, run->exited};
}

Co<Result<StartedTask>> ContainedDriver::Start(Context context,
                                               std::shared_ptr<const TaskConfig> config) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  const RunId id = config->run_id;
  if (FindRun(id) != nullptr) co_return co_await driver->Start(context, config);  // it refuses
  runs_[id].config = config;
  Result<StartedTask> started = co_await driver->Start(context, config);
  Run* run = FindRun(id);
  if (run == nullptr) co_return started;
  if (started.ok()) {
    run->wanted = true;
    run->generation = generation_;
    run->handle = started->handle;
    co_return started;
  }
  const bool died = started.code() == Code::kUnavailable && Lost(driver);
  if (!died || ending_) co_return started;  // its destroy follows
  const Error error = started.error();
  Result<RecoveredTask> found = co_await AwaitRecovered(context, id, error);
  // Not found: it was never started, and may be started again.
  if (!found.ok()) co_return found.code() == Code::kNotFound ? error : found.error();
  co_return StartedTask{found->handle, std::nullopt};
}

Co<Result<RecoveredTask>> ContainedDriver::Recover(Context context,
                                                   std::shared_ptr<const TaskConfig> config,
                                                   TaskHandle handle) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  const RunId id = config->run_id;
  if (Run* known = FindRun(id); known != nullptr && known->news.asked_for() && known->wanted &&
                                known->generation == generation_) {
    // The driver has recovered it for its new process: only the handle was to be told.
    known->news.Heard(id, loop()->Now(), parts_.told_handles.get());
    co_return RecoveredTask{known->handle, known->exited};
  }
  Run& made = runs_[id];
  made.config = config;
  made.handle = handle;
  made.lost.reset();
  made.deaths = std::min(made.deaths, kMaxDeaths - 1);  // what it has cost is not forgotten
  Result<RecoveredTask> recovered = co_await driver->Recover(context, config, handle);
  Run* run = FindRun(id);
  if (run == nullptr) co_return recovered;
  if (recovered.ok()) {
    run->wanted = true;
    run->generation = generation_;
    run->Seen();
    run->news = HandleNews();  // who asks may be a reload: it knows who has heard of it
    run->handle = recovered->handle;
    run->exited = recovered->exited;
    co_return recovered;
  }
  if (recovered.code() == Code::kUnavailable && Lost(driver) && !ending_) {
    run->recovering = true;  // it may be this one's fault
    const Error error = recovered.error();
    co_return co_await AwaitRecovered(context, id, error);
  }
  if (recovered.code() == Code::kNotFound) runs_.erase(id);
  co_return recovered;
}

// ------------------------------------------------------------------------------------ the rest

Co<Result<ExitResult>> ContainedDriver::Wait(Context context, RunId id) {
  while (true) {
    DROVER_CO_ASSIGN(const Living driver, co_await Ready(context));
    Context until = context;  // or until there is something to tell
    if (Run* run = FindRun(id)) {
      if (run->lost) co_return *run->lost;
      const auto due = run->news.Tell(id, loop()->Now(), parts_.told_handles.get());
      if (due && due->count() == 0)
        co_return Error(Code::kUnavailable, "driver " + info_.name + " has given a new handle");
      if (due) until = context.WithTimeout(*due);
      if (run->wanted && run->generation != generation_) {
        // It was not recovered, and lives on without its driver: this process may see it later, or
        // the next one.
        const Context life = life_;
        const JoinContext joined(context, life);
        const std::shared_ptr<Event> unseen = run->unseen;
        Event* const seen = unseen ? unseen.get() : &ended_;
        co_await WaitAny(joined.context(), &ended_, seen);
        DROVER_CO_TRY(context.status());
        if (life.cancelled()) co_return Unavailable();
        continue;
      }
    }
    Result<ExitResult> end = co_await driver->Wait(until, id);
    if (!end.ok() && until.cancelled() && !context.cancelled()) continue;
    const bool died = !end.ok() && end.code() == Code::kUnavailable && Lost(driver);
    if (!died || ending_) co_return end;
    DROVER_CO_TRY(context.status());
  }
}

Co<Status> ContainedDriver::Stop(Context context, RunId run, Duration timeout, std::string signal) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  co_return co_await driver->Stop(context, run, timeout, std::move(signal));
}

Co<Status> ContainedDriver::ForceKill(Context context, RunId run) {
  co_return co_await KillRun(parts_.driver.processes, std::move(context), run);
}

Co<Status> ContainedDriver::Signal(Context context, RunId run, std::string signal) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  co_return co_await driver->Signal(context, run, std::move(signal));
}

Co<Status> ContainedDriver::Destroy(Context context, RunId id, bool force) {
  // What is to go is not brought back meanwhile.
  bool wanted = false;
  if (Run* run = FindRun(id)) wanted = std::exchange(run->wanted, false);
  if (restored_) restored_->erase(id);
  Status status = Unavailable();
  bool answered = false;     // or failed otherwise than by the end of its process
  bool gone = false;         // perhaps not released
  constexpr int kTries = 2;  // the second one with the process that comes next
  for (int i = 0; i < kTries; ++i) {
    const Result<Living> driver = co_await Live(context);
    status = driver.ok() ? Status() : Status(driver.error());
    if (!driver.ok()) {
      if (force) unheard_.insert(id);
      break;
    }
    PluginHost* const host = (*driver)->host();
    const bool known = host->FindRun(id) != nullptr;
    status = co_await (*driver)->Destroy(context, id, force);
    const bool lost = status.code() == Code::kUnavailable && Lost(*driver);
    gone = status.ok() || status.code() == Code::kNotFound ||
           (!lost && known && host->FindRun(id) == nullptr);
    answered = gone || !lost;
    if (answered) break;
  }
  if (!gone && !force) {
    if (Run* run = FindRun(id)) run->wanted = wanted;
    co_return status;
  }
  // A driver that is not there has released nothing; after one that has answered, also that it does
  // not know the run, the host has tried.
  if (!answered && parts_.driver.processes != nullptr && !ending_) {
    const Context patient = life_.Child();
    const Status released = co_await parts_.driver.processes->Release(patient, id);
    if (!released.ok() && !ending_) {
      Log(PluginLogLevel::kWarn, "releasing it: " + released.error().message());
    }
  }
  if (Run* run = FindRun(id)) run->Seen();
  runs_.erase(id);
  co_return status;
}

Co<Result<TaskStatus>> ContainedDriver::Inspect(Context context, RunId run) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  co_return co_await driver->Inspect(context, run);
}

Co<Status> ContainedDriver::Stats(Context context, RunId run, StatsRequest request,
                                  std::function<void(TaskUsage)> sink) {
  while (true) {
    DROVER_CO_ASSIGN(const Living driver, co_await Ready(context));
    Status end = co_await driver->Stats(context, run, request, sink);
    const bool died = end.code() == Code::kUnavailable && Lost(driver);
    if (!died || ending_) co_return end;
    DROVER_CO_TRY(context.status());
  }
}

Co<Result<std::unique_ptr<TaskExecSession>>> ContainedDriver::Exec(Context context, RunId run,
                                                                   ExecRequest request) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  co_return co_await driver->Exec(context, run, std::move(request));
}

Co<Status> ContainedDriver::Configure(Context context, std::string config_json) {
  DROVER_CO_ASSIGN(const Living driver, co_await Live(context));
  std::string copy = config_json;
  Status status = co_await driver->Configure(context, std::move(copy));
  if (status.ok()) parts_.config_json = std::move(config_json);
  co_return status;
}

Co<Status> ContainedDriver::RestoreComplete(Context context, std::vector<RunId> runs) {
  restored_.emplace(runs.begin(), runs.end());
  // Each process is told once; the next one when it comes.
  if (!ready_) co_return Status();
  const Living driver = current_;
  co_return co_await driver->RestoreComplete(context, std::move(runs));
}

Result<std::string> ContainedDriver::NormalizeConfigAt(const std::string& place,
                                                       const std::string& config_json, bool final) {
  if (!parts_.driver.task_checker) return config_json;
  return parts_.driver.task_checker->Normalize(place, config_json, final);
}

Subscription ContainedDriver::OnFingerprint(std::function<void()> changed) {
  return fingerprint_listeners_.Add(std::move(changed));
}

Subscription ContainedDriver::OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) {
  return event_listeners_.Add(run, std::move(hear));
}

}  // namespace drover
