// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/fake_driver.h"

#include <algorithm>

namespace drover {

struct FakeDriver::Run {
  Run(Loop* on, RunId run_id, std::string of_task, Script of_script)
      : loop(on),
        id(run_id),
        task(std::move(of_task)),
        script(std::move(of_script)),
        changed(on),
        ended(on) {}
  ~Run() { loop->Cancel(timer); }

  Loop* loop;
  RunId id;
  std::string task;
  Script script;
  std::shared_ptr<const TaskConfig> config;
  bool started = false;
  bool paused = false;
  bool known = true;  // false: the driver knows the run only after the next Recover
  std::optional<Error> lost;
  int losses = 0;
  std::optional<ExitResult> result;
  WallTime started_at = 0;
  TimePoint ended_at{};
  Event changed;  // set when the driver notices the end of the run, or when the plugin is lost
  Event ended;
  Loop::TimerId timer = 0;
};

// Counts a coroutine of the driver in open_calls_ as long as the coroutine runs.
class FakeDriver::OpenCall {
 public:
  explicit OpenCall(FakeDriver* driver) : driver_(driver) { ++driver_->open_calls_; }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
  ~OpenCall() { --driver_->open_calls_; }

 private:
  FakeDriver* driver_;
};

namespace {

const Error kUnknownRun(Code::kNotFound, "task not found for given id");

class FakeSession : public TaskExecSession {
 public:
  Status Resize(TerminalSize) override { return {}; }
  Co<Result<ExitResult>> Wait(Context) override { co_return ExitResult(); }
};

}  // namespace

FakeDriver::FakeDriver(Loop* loop, std::string name) : loop_(loop) {
  the_info.name = std::move(name);
  the_info.version = "1.0.0";
  the_info.can_signal = the_info.can_exec = the_info.has_stats = true;
  fingerprint_ = {Health::kHealthy, "Healthy", {}};
}

FakeDriver::~FakeDriver() = default;

void FakeDriver::Plant(RunId run, const std::string& task, std::optional<ExitResult> exited) {
  const RunPtr planted = NewRun(run, task, scripts_[task]);
  planted->known = false;
  Begin(planted);
  if (exited) EndRun(planted, *exited);
}

void FakeDriver::LosePlugin(Error error, bool forget) {
  for (const auto& [id, run] : runs_) {
    run->lost = error;
    ++run->losses;
    if (forget) run->known = false;
    run->changed.Set();
  }
}

void FakeDriver::End(const std::string& task, ExitResult result) {
  EndRun(Newest(task), std::move(result));
}

void FakeDriver::SetHealth(Health health, std::string description) {
  fingerprint_.health = health;
  fingerprint_.description = std::move(description);
  on_fingerprint_.Call();
}

void FakeDriver::Emit(const std::string& task, std::string message, StringMap annotations) {
  const DriverEvent event{Newest(task)->id, std::move(message), std::move(annotations)};
  on_event_.Call(event.run_id, event);
}

void FakeDriver::ReplaceHandle(const std::string& task, TaskHandle handle) {
  on_handle_.Call(Newest(task)->id, handle);
}

int FakeDriver::Count(std::string_view prefix) const {
  return static_cast<int>(std::count_if(calls_.begin(), calls_.end(), [prefix](const auto& call) {
    return call.compare(0, prefix.size(), prefix) == 0;
  }));
}

int FakeDriver::running(const std::string& task) const {
  return static_cast<int>(std::count_if(runs_.begin(), runs_.end(), [&task](const auto& entry) {
    return entry.second->task == task && entry.second->started && !entry.second->result;
  }));
}

std::shared_ptr<const TaskConfig> FakeDriver::last_config(const std::string& task) const {
  return Newest(task)->config;
}

std::optional<TimePoint> FakeDriver::ended_at(const std::string& task) const {
  const RunPtr run = Newest(task);
  if (!run->result) return std::nullopt;
  return run->ended_at;
}

std::string FakeDriver::TaskOf(RunId run) const {
  const auto found = names_.find(run);
  return found == names_.end() ? "?" : found->second;
}

FakeDriver::RunPtr FakeDriver::Find(RunId run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() || !found->second->known ? nullptr : found->second;
}

FakeDriver::RunPtr FakeDriver::Newest(const std::string& task) const {
  const auto found = newest_.find(task);
  DROVER_CHECK(found != newest_.end());
  return found->second;
}

FakeDriver::RunPtr FakeDriver::NewRun(RunId id, const std::string& task, Script script) {
  auto run = std::make_shared<Run>(loop_, id, task, std::move(script));
  names_[id] = task;
  runs_[id] = run;
  newest_[task] = run;
  return run;
}

void FakeDriver::Begin(const RunPtr& run) {
  run->started = true;
  run->started_at = loop_->Wall();
  if (!run->script.run_for) return;
  const std::weak_ptr<Run> weak = run;
  run->timer = loop_->After(*run->script.run_for, [this, weak] {
    if (const RunPtr alive = weak.lock()) EndRun(alive, alive->script.exit);
  });
}

void FakeDriver::EndRun(const RunPtr& run, ExitResult result) {
  if (run->result) return;
  run->result = std::move(result);
  run->ended_at = loop_->Now();
  loop_->Cancel(run->timer);
  run->ended.Set();
  if (!run->script.exit_unnoticed) run->changed.Set();
}

Subscription FakeDriver::OnFingerprint(std::function<void()> changed) {
  return on_fingerprint_.Add(std::move(changed));
}

Subscription FakeDriver::OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) {
  return on_event_.Add(run, std::move(hear));
}

Subscription FakeDriver::OnHandle(RunId run, std::function<void(const TaskHandle&)> hear) {
  return on_handle_.Add(run, std::move(hear));
}

Result<std::string> FakeDriver::NormalizeConfigAt(const std::string&,
                                                  const std::string& config_json, bool) {
  if (normalize_error) return *normalize_error;
  return config_json;
}

Co<Status> FakeDriver::PrepareTask(Context context, std::shared_ptr<const TaskConfig> config,
                                   HearProgress hear) {
  const OpenCall open(this);
  const std::string task = config->task_name;
  Log("prepare " + task);
  const Script script = scripts_[task];
  hear(TaskProgress{"Preparing", 1, 2, "steps", ""});
  if (script.prepare_blocks) co_await context.Cancelled();
  if (script.prepare_delay > 0s) {
    [[maybe_unused]] const Status slept = co_await Sleep(context, script.prepare_delay);
  }
  if (context.cancelled()) co_return context.status();
  if (script.prepare_error) co_return *script.prepare_error;
  co_return Status();
}

Co<Result<StartedTask>> FakeDriver::Start(Context context,
                                          std::shared_ptr<const TaskConfig> config) {
  const OpenCall open(this);
  const std::string task = config->task_name;
  Log("start " + task);
  Script script = scripts_[task];
  if (auto& queue = next_[task]; !queue.empty()) {
    script = std::move(queue.front());
    queue.pop_front();
  }
  const RunPtr run = NewRun(config->run_id, task, std::move(script));
  run->config = config;
  if (run->script.start_blocks) co_await context.Cancelled();
  if (run->script.start_delay > 0s) {
    [[maybe_unused]] const Status slept = co_await Sleep(context, run->script.start_delay);
  }
  if (context.cancelled()) co_return context.status().error();
  if (run->script.start_error) co_return *run->script.start_error;
  Begin(run);
  StartedTask started;
  started.handle = {the_info.name, the_info.version, 1, "state of " + config->run_id.ToString()};
  started.network = run->script.network;
  co_return started;
}

Co<Result<RecoveredTask>> FakeDriver::Recover(Context context,
                                              std::shared_ptr<const TaskConfig> config,
                                              TaskHandle handle) {
  const OpenCall open(this);
  Log("recover " + config->task_name + (handle.state.empty() ? " empty" : ""));
  if (context.cancelled()) co_return context.status().error();
  if (recover_error && recover_errors > 0) {
    --recover_errors;
    co_return *recover_error;
  }
  const auto found = runs_.find(config->run_id);
  if (found == runs_.end() || !found->second->started) co_return kUnknownRun;
  const RunPtr run = found->second;
  run->known = true;
  run->lost.reset();
  run->changed.Reset();
  if (run->result) run->changed.Set();
  run->config = config;
  RecoveredTask recovered;
  recovered.handle = {the_info.name, the_info.version, 1, "state of " + run->id.ToString()};
  recovered.exited = run->result;
  co_return recovered;
}

Co<Result<ExitResult>> FakeDriver::Wait(Context context, RunId id) {
  const OpenCall open(this);
  ++waits_;
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  const Status status = co_await run->changed.Wait(context);
  if (!status.ok()) co_return status.error();
  if (run->lost) co_return *run->lost;
  co_return *run->result;
}

Co<Status> FakeDriver::Stop(Context context, RunId id, Duration timeout, std::string signal) {
  const OpenCall open(this);
  Log("stop " + TaskOf(id) + " " + FormatDuration(timeout) + (signal.empty() ? "" : " ") + signal);
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  if (run->script.stop_error && run->script.stop_errors > 0) {
    --run->script.stop_errors;
    co_return *run->script.stop_error;
  }
  if (run->script.stop_hangs) {
    co_await context.Cancelled();
    co_return context.status();
  }
  const bool kill = run->script.ignores_signal || run->script.stop_delay >= timeout;
  const std::weak_ptr<Run> weak = run;
  const Duration delay = kill ? timeout : run->script.stop_delay;
  const ExitResult end =
      kill ? run->script.killed_exit : run->script.stopped_exit.value_or(run->script.exit);
  if (delay <= 0s) {
    EndRun(run, end);
  } else if (!run->result) {
    loop_->Cancel(run->timer);
    run->timer = loop_->After(delay, [this, weak, end] {
      if (const RunPtr alive = weak.lock()) EndRun(alive, end);
    });
  }
  co_return co_await run->ended.Wait(context);
}

Co<Status> FakeDriver::ForceKill(Context, RunId id) {
  Log("force_kill " + TaskOf(id));
  const auto found = runs_.find(id);  // the host can also kill a run that the driver does not know
  if (found == runs_.end()) co_return kUnknownRun;
  const RunPtr run = found->second;
  if (run->script.force_kill_error) co_return *run->script.force_kill_error;
  if (run->started) EndRun(run, run->script.killed_exit);
  co_return Status();
}

Co<Status> FakeDriver::Signal(Context context, RunId id, std::string signal) {
  const OpenCall open(this);
  Log("signal " + TaskOf(id) + " " + signal);
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  if (run->script.signal_blocks) {
    co_await context.Cancelled();
    co_return context.status();
  }
  if (run->script.signal_error) co_return *run->script.signal_error;
  co_return Status();
}

Co<Status> FakeDriver::Pause(Context context, RunId id, bool paused) {
  const OpenCall open(this);
  Log((paused ? "pause " : "resume ") + TaskOf(id));
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  if (run->script.pause_delay > 0s) {
    DROVER_CO_TRY(co_await Sleep(context, run->script.pause_delay));
  }
  run->paused = paused;
  co_return Status();
}

Co<Status> FakeDriver::Destroy(Context context, RunId id, bool force) {
  const OpenCall open(this);
  Log("destroy " + TaskOf(id) + (force ? " force" : ""));
  const auto found = runs_.find(id);
  if (found == runs_.end()) co_return kUnknownRun;
  const RunPtr run = found->second;
  if (run->script.destroy_blocks) {
    co_await context.Cancelled();
    co_return context.status();
  }
  if (run->script.destroy_error) co_return *run->script.destroy_error;
  if (run->started && !run->result && !force)
    co_return Error(Code::kFailedPrecondition, "cannot destroy running task");
  if (run->started) EndRun(run, run->script.killed_exit);
  loop_->Cancel(run->timer);
  runs_.erase(id);
  if (run->script.release_error) co_return *run->script.release_error;
  co_return Status();
}

Co<Result<TaskStatus>> FakeDriver::Inspect(Context, RunId id) {
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  TaskStatus status;
  status.state = run->result ? TaskState::kExited : TaskState::kRunning;
  status.started_at = run->started_at;
  status.exit_result = run->result;
  if (run->paused) status.attributes["paused"] = "true";
  co_return status;
}

Co<Status> FakeDriver::Stats(Context context, RunId id, StatsRequest request,
                             std::function<void(TaskUsage)> sink) {
  const OpenCall open(this);
  ++stats_calls_;
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  if (run->script.stats_error) co_return *run->script.stats_error;
  if (run->script.stats_end != nullptr) {
    co_await run->script.stats_end->Wait();
    co_return Status();
  }
  const int losses = run->losses;
  for (int i = 0; !run->script.stats_samples || i < *run->script.stats_samples; ++i) {
    if (run->losses != losses) co_return Error(Code::kUnavailable, "the plugin is gone");
    TaskUsage usage;
    usage.timestamp = loop_->Wall();
    usage.total.memory.rss = 1 << 20;
    usage.total.measured.Add(Stat::kRss);
    if (request.detail == UsageDetail::kProcesses) usage.pids[1] = usage.total;
    sink(std::move(usage));
    DROVER_CO_TRY(co_await Sleep(context, request.interval));
  }
  co_return Status();
}

Co<Result<std::unique_ptr<TaskExecSession>>> FakeDriver::Exec(Context, RunId id,
                                                              ExecRequest request) {
  Log("exec " + TaskOf(id) + (request.command.empty() ? "" : " " + request.command[0]));
  const RunPtr run = Find(id);
  if (!run) co_return kUnknownRun;
  if (run->script.exec_error) co_return *run->script.exec_error;
  std::unique_ptr<TaskExecSession> session = std::make_unique<FakeSession>();
  co_return session;
}

}  // namespace drover
