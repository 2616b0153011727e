// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The calls of a supervised driver: which instance gets a call, and what happens to the call when
// that instance is replaced.
#include <algorithm>

#include "host/plugin/supervised_driver.h"
#include "host/process/kill_run.h"

namespace drover {

// A running command (exec session). The session keeps the instance that started it alive.
class SupervisedDriver::Session : public TaskExecSession {
 public:
  Session(Instance instance, std::unique_ptr<TaskExecSession> session)
      : instance_(std::move(instance)),
        inside_(instance_->sessions()),
        session_(std::move(session)) {}
  Status Resize(TerminalSize size) override { return session_->Resize(size); }
  Co<Result<ExitResult>> Wait(Context context) override {
    return session_->Wait(std::move(context));
  }

 private:
  const Instance instance_;
  const CallCount::Inside inside_;  // counts this session until session_ is destroyed
  const std::unique_ptr<TaskExecSession> session_;
};

template <typename Answer, typename Function>
Co<SupervisedDriver::Said<Answer>> SupervisedDriver::Ask(Context context, Instance instance,
                                                         CallCount* among, Function call) {
  const CallCount::Inside inside(among);
  const Context issued = issue_;
  const JoinContext joined(context, issued);
  Answer answer = co_await call(instance->driver(), joined.context());
  const bool failed = !answer.ok() && !ending_;
  const bool given_up = failed && issued.cancelled() && !context.cancelled();
  // A call may fail before the end of its process is reported, so alive() is checked.
  const bool died = failed && answer.code() == Code::kUnavailable && !instance->alive();
  co_return Said<Answer>{std::move(answer), given_up, died};
}

template <typename Answer, typename Function>
Co<Answer> SupervisedDriver::Call(Context context, Function call) {
  while (true) {
    DROVER_CO_ASSIGN(const Instance instance, co_await Admit(context, limits().relaunch_patience));
    auto said = co_await Ask<Answer>(context, instance, &calls_, call);
    if (!said.given_up) co_return std::move(said.answer);
  }
}

template <typename Answer, typename Function>
Co<Answer> SupervisedDriver::Watch(Context context, Function call) {
  while (true) {
    DROVER_CO_ASSIGN(const Instance instance, co_await Admit(context, Duration(0)));
    auto said = co_await Ask<Answer>(context, instance, &watches_, call);
    if (!said.given_up && !said.died) co_return std::move(said.answer);
    DROVER_CO_TRY(context.status());
  }
}

// --------------------------------------------------------------------------- start and recover

Co<Result<RecoveredTask>> SupervisedDriver::AwaitRecovered(Context context, RunId id, Error error) {
  Run* run = FindRun(id);
  if (run == nullptr) co_return error;
  if (!std::exchange(run->wanted, true)) run->awaited = true;
  const Result<Instance> back = co_await Admit(context, limits().relaunch_patience);
  run = FindRun(id);
  if (run == nullptr) co_return error;
  run->awaited = false;
  if (!back.ok()) co_return error;
  if (run->lost) co_return *run->lost;
  if (run->known_by != (*back)->number()) co_return error;
  co_return RecoveredTask{run->handle, run->exited};
}

Co<Result<StartedTask>> SupervisedDriver::Start(Context context,
                                                std::shared_ptr<const TaskConfig> config) {
  DROVER_CO_ASSIGN(const Instance instance, co_await Admit(context, limits().relaunch_patience));
  const RunId id = config->run_id;
  const Run* const before = FindRun(id);
  const bool known = before != nullptr && (before->wanted || before->awaited);
  if (!known) {
    Forget(id);  // removes what a failed start has left
    Run& made = runs_[id];
    made.config = config;
    made.awaited = true;
  }
  Result<StartedTask> started = Error(Code::kInternal, "");
  {
    // A start is never given up for a reload, since the old instance might still start the task
    // later.
    const CallCount::Inside call(&calls_);
    const CallCount::Inside start(&starts_);
    started = co_await instance->driver()->Start(context, config);
  }
  if (known) co_return started;  // a repeated start, which the driver refuses
  Run* const run = FindRun(id);
  if (run == nullptr) co_return started;
  run->awaited = false;
  if (started.ok()) {
    run->wanted = true;
    run->known_by = instance->number();
    run->handle = run->early.handle.value_or(started->handle);
    co_return started;
  }
  const bool died = started.code() == Code::kUnavailable && !instance->alive();
  if (!died || ending_) co_return started;  // the caller will destroy the run
  const Error error = started.error();
  Result<RecoveredTask> found = co_await AwaitRecovered(context, id, error);
  // kNotFound means that the run was never started. The caller gets the error of its start and may
  // start the run again.
  if (!found.ok()) co_return found.code() == Code::kNotFound ? error : found.error();
  co_return StartedTask{found->handle, std::nullopt};
}

Co<Result<RecoveredTask>> SupervisedDriver::Recover(Context context,
                                                    std::shared_ptr<const TaskConfig> config,
                                                    TaskHandle handle) {
  const RunId id = config->run_id;
  const auto recover = [config, handle](LoadedDriver* driver, const Context& joined) {
    return driver->Recover(joined, config, handle);
  };
  while (true) {
    DROVER_CO_ASSIGN(const Instance instance, co_await Admit(context, limits().relaunch_patience));
    Run& made = runs_[id];
    if (made.wanted && made.exited && made.known_by != instance->number()) {
      co_return RecoveredTask{made.handle, made.exited};
    }
    made.config = config;
    made.handle = handle;
    made.lost.reset();
    // Allows one more attempt even if kMaxDeaths processes have ended during earlier recovers of
    // this run.
    made.deaths = std::min(made.deaths, kMaxDeaths - 1);
    auto said = co_await Ask<Result<RecoveredTask>>(context, instance, &calls_, recover);
    if (said.given_up) continue;
    Run* const run = FindRun(id);
    if (run == nullptr) co_return std::move(said.answer);
    if (said.answer.ok()) {
      run->wanted = true;
      // The handle is set before Learn, so that Learn calls no handle listener: the caller gets
      // the handle as the result.
      run->handle = run->early.handle.value_or(said.answer->handle);
      said.answer->handle = run->handle;
      Learn(id, *said.answer, instance->number());
      if (const Run* known = FindRun(id); known != nullptr && known->listened) {
        said.answer->handle = known->handle;  // news may have brought a newer one
      }
    } else if (said.died) {
      run->recovering = true;  // the process may have ended because of this run
      const Error error = said.answer.error();
      co_return co_await AwaitRecovered(context, id, error);
    } else if (said.answer.code() == Code::kNotFound) {
      const Status released = co_await ReleaseUnknown(id);
      if (!released.ok()) co_return released.error().WithContext("releasing it");
      Forget(id);
    }
    co_return std::move(said.answer);
  }
}

// --------------------------------------------------------------------------------- other calls

Co<Result<ExitResult>> SupervisedDriver::Wait(Context context, RunId id) {
  const auto wait = [id](LoadedDriver* driver, const Context& joined) {
    return driver->Wait(joined, id);
  };
  while (true) {
    DROVER_CO_ASSIGN(const Instance instance, co_await Admit(context, Duration(0)));
    const Run* run = FindRun(id);
    if (run != nullptr && run->wanted && run->known_by != instance->number()) {
      if (run->exited) co_return *run->exited;
      if (run->lost) co_return *run->lost;
      // The task runs on, but this instance does not know it. This instance or the next one may
      // recover it later.
      const Context issued = issue_;
      const JoinContext asked(context, issued);
      const JoinContext joined(asked.context(), life_);
      const std::shared_ptr<Event> unseen = run->unseen;
      Event* const seen = unseen ? unseen.get() : instance->died();
      co_await WaitAny(joined.context(), instance->died(), seen);
      DROVER_CO_TRY(context.status());
      continue;
    }
    auto said = co_await Ask<Result<ExitResult>>(context, instance, &watches_, wait);
    if (said.given_up || said.died) {
      DROVER_CO_TRY(context.status());
      continue;
    }
    if (Run* known = FindRun(id); known != nullptr && said.answer.ok()) {
      known->exited = *said.answer;
    }
    co_return std::move(said.answer);
  }
}

Co<Status> SupervisedDriver::Stop(Context context, RunId run, Duration timeout,
                                  std::string signal) {
  // The task gets TIMEOUT in total, whatever happens to its driver. If no instance can stop the
  // task, the host kills it.
  const TimePoint due = parts_.loop->Now() + timeout;
  const Duration held = std::max(timeout, limits().relaunch_patience);
  Duration left = timeout;
  const auto stop = [run, &left, signal](LoadedDriver* driver, const Context& joined) {
    return driver->Stop(joined, run, left, signal);
  };
  while (true) {
    const bool waits = held_ || !Serves();
    DROVER_CO_ASSIGN(const Instance instance,
                     co_await Admit(context, limits().relaunch_patience, held));
    if (waits) left = std::max(Duration(0), due - parts_.loop->Now());
    const auto said = co_await Ask<Status>(context, instance, &calls_, stop);
    if (!said.given_up) co_return said.answer;
    left = std::max(Duration(0), due - parts_.loop->Now());
  }
}

Co<Status> SupervisedDriver::ForceKill(Context context, RunId run) {
  co_return co_await KillRun(parts_.processes, std::move(context), run);
}

Co<Status> SupervisedDriver::Signal(Context context, RunId run, std::string signal) {
  const auto send = [run, signal](LoadedDriver* driver, const Context& joined) {
    return driver->Signal(joined, run, signal);
  };
  co_return co_await Call<Status>(context, send);
}

Co<Status> SupervisedDriver::Pause(Context context, RunId run, bool paused) {
  const auto pause = [run, paused](LoadedDriver* driver, const Context& joined) {
    return driver->Pause(joined, run, paused);
  };
  co_return co_await Call<Status>(context, pause);
}

Co<Status> SupervisedDriver::Destroy(Context context, RunId id, bool force) {
  // While a reload holds the calls, its new instance may still recover the run. So the destroy
  // waits until the reload releases the calls.
  DROVER_CO_TRY(co_await AwaitRelease(context));
  if (!has_instance()) {
    // Without an instance, only the processes of the run can be released. The driver's own part of
    // the run stays.
    Status released;
    if (force && parts_.processes != nullptr) {
      released = co_await parts_.processes->Release(context, id);
    }
    if (force) Forget(id);
    if (force && restored_) restored_->erase(id);
    co_return released.ok() ? Status(Unavailable()) : released;
  }
  // No instance may recover the run while it is being destroyed, so the run's WANTED becomes false.
  bool wanted = false;
  if (Run* run = FindRun(id)) wanted = std::exchange(run->wanted, false);
  const bool restored = restored_ && restored_->erase(id) > 0;
  Status status;
  // True if the driver has answered a destroy. False if the process ended in every attempt.
  bool answered = false;
  // True if the driver has removed its part of the run, even if the host's part could not be
  // released.
  bool gone = false;
  constexpr int kTries = 2;  // the second attempt uses the next process
  for (int tries = 0; tries < kTries && !answered;) {
    const Result<Instance> instance = co_await Admit(context, limits().relaunch_patience);
    if (!instance.ok()) {
      status = instance.error();
      if (force) unheard_.insert(id);
      break;
    }
    PluginHost* const host = (*instance)->driver()->host();
    const bool known = host->FindRun(id) != nullptr;
    const auto destroy = [id, force](LoadedDriver* driver, const Context& joined) {
      return driver->Destroy(joined, id, force);
    };
    const auto said = co_await Ask<Status>(context, *instance, &calls_, destroy);
    status = said.answer;
    gone = status.ok() || status.code() == Code::kNotFound ||
           (!said.died && !said.given_up && known && host->FindRun(id) == nullptr);
    if (!gone && said.given_up) continue;
    answered = gone || !said.died;
    ++tries;
  }
  if (!gone && !force) {
    if (Run* run = FindRun(id)) run->wanted = wanted;
    if (restored) restored_->insert(id);
    co_return status;
  }
  // If the driver has answered, even with kNotFound, LoadedDriver::Destroy has already released the
  // processes of the run. Otherwise they are released here.
  if (!answered && parts_.processes != nullptr && !ending_) {
    const Context patient = life_.Child();
    const Status released = co_await parts_.processes->Release(patient, id);
    if (!released.ok() && !ending_) {
      Log(PluginLogLevel::kWarn, "releasing it: " + released.error().message());
    }
  }
  Forget(id);
  co_return status;
}

Co<Result<TaskStatus>> SupervisedDriver::Inspect(Context context, RunId run) {
  const auto inspect = [run](LoadedDriver* driver, const Context& joined) {
    return driver->Inspect(joined, run);
  };
  co_return co_await Call<Result<TaskStatus>>(context, inspect);
}

Co<Status> SupervisedDriver::Stats(Context context, RunId run, StatsRequest request,
                                   std::function<void(TaskUsage)> sink) {
  const auto follow = [run, request, sink](LoadedDriver* driver, const Context& joined) {
    return driver->Stats(joined, run, request, sink);
  };
  co_return co_await Watch<Status>(context, follow);
}

Co<Result<std::unique_ptr<TaskExecSession>>> SupervisedDriver::Exec(Context context, RunId run,
                                                                    ExecRequest request) {
  using Begun = Result<std::unique_ptr<TaskExecSession>>;
  DROVER_CO_ASSIGN(const Instance instance, co_await Admit(context, limits().relaunch_patience));
  const auto exec = [run, &request](LoadedDriver* driver, const Context& joined) {
    return driver->Exec(joined, run, std::move(request));
  };
  auto said = co_await Ask<Begun>(context, instance, &calls_, exec);
  if (said.answer.ok()) {
    co_return Begun(std::make_unique<Session>(instance, std::move(*said.answer)));
  }
  // The file descriptors of the request were passed to the old instance. Only the caller can make
  // new ones, so the call is not repeated here.
  if (said.given_up) {
    co_return Error(Code::kUnavailable, "driver " + name_ + " was reloaded meanwhile, try again",
                    true);
  }
  co_return std::move(said.answer);
}

// -------------------------------------------------------------------------------- task hooks

std::optional<std::uint32_t> SupervisedDriver::HookStages() const {
  if (!has_instance()) return std::nullopt;
  return info_.hook_stages;
}

Duration SupervisedDriver::HookLimit(PluginHookStage stage) const {
  return limits().*HookLimitOf(stage);
}

Co<Result<PluginHookAnswer>> SupervisedDriver::CallHook(
    Context context, std::shared_ptr<const PluginHookRequest> request) {
  const auto hook = [request](LoadedDriver* driver, const Context& joined) {
    return driver->CallHook(joined, request);
  };
  co_return co_await Call<Result<PluginHookAnswer>>(context, hook);
}

// ----------------------------------------------------------------------------- the instance

Co<Status> SupervisedDriver::Configure(Context context, std::string config_json) {
  const auto configure = [&config_json](LoadedDriver* driver, const Context& joined) {
    return driver->Configure(joined, config_json);
  };
  Status status = co_await Call<Status>(context, configure);
  if (status.ok()) {
    auto changed = std::make_shared<PluginCode>(*code_);
    changed->config_json = std::move(config_json);
    code_ = std::move(changed);
  }
  co_return status;
}

Co<Status> SupervisedDriver::RestoreComplete(Context context, std::vector<RunId> runs) {
  DROVER_CO_TRY(co_await AwaitRelease(context));
  restored_.emplace(runs.begin(), runs.end());
  if (!Serves()) co_return Status();  // the next instance gets the report when it is made
  const CallCount::Inside call(&calls_);
  const Instance instance = instance_;
  co_return co_await instance->driver()->RestoreComplete(context, std::move(runs));
}

}  // namespace drover
