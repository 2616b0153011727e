// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/reloadable_driver.h"

#include <algorithm>

#include "host/base/patience.h"

namespace drover {

// A command that runs: the instance that it was begun with stays for it.
class ReloadableDriver::Session : public TaskExecSession {
 public:
  Session(std::shared_ptr<Reign> reign, std::unique_ptr<TaskExecSession> session)
      : reign_(std::move(reign)), session_(std::move(session)) {
    ++reign_->sessions;
    reign_->no_sessions.Reset();
  }
  ~Session() override {
    session_.reset();
    if (--reign_->sessions == 0) reign_->no_sessions.Set();
  }
  Status Resize(TerminalSize size) override { return session_->Resize(size); }
  Co<Result<ExitResult>> Wait(Context context) override {
    return session_->Wait(std::move(context));
  }

 private:
  const std::shared_ptr<Reign> reign_;
  std::unique_ptr<TaskExecSession> session_;
};

ReloadableDriver::ReloadableDriver(std::string name, Parts parts)
    : name_(std::move(name)),
      parts_(std::move(parts)),
      broken_(std::make_shared<BrokenDriver>(name_, parts_.processes)),
      issue_(parts_.loop),
      released_(parts_.loop),
      calls_(parts_.loop),
      starts_(parts_.loop),
      watches_(parts_.loop),
      replacements_(parts_.loop),
      life_(parts_.loop),
      gate_(parts_.loop) {
  Reigns(broken_);
}

ReloadableDriver::~ReloadableDriver() = default;

void ReloadableDriver::Expect(std::string reason) {
  held_ = true;
  released_.Reset();
  broken_->SetReason(std::move(reason));
  Update();
}

void ReloadableDriver::SetReason(std::string reason) {
  broken_->SetReason(std::move(reason));
  Update();
  Release();
}

void ReloadableDriver::Release() {
  held_ = false;
  released_.Set();
}

void ReloadableDriver::Use(std::shared_ptr<PluginDriver> driver) {
  current_ = std::move(driver);
  health_ = current_->OnFingerprint([this] { Update(); });
  Reigns(current_);
  Release();
}

void ReloadableDriver::Reigns(std::shared_ptr<Driver> driver) {
  reign_ = std::make_shared<Reign>(parts_.loop, std::move(driver));
  issue_ = Context(parts_.loop);
  Update();
}

void ReloadableDriver::Update() {
  info_ = reign_->driver->info();
  if (reign_->driver->fingerprint() == fingerprint_) return;
  fingerprint_ = reign_->driver->fingerprint();
  fingerprint_listeners_.Call();
}

Co<Status> ReloadableDriver::RestoreComplete(Context context, std::vector<RunId> runs) {
  DROVER_CO_TRY(co_await Admit(context));
  restored_.emplace(runs.begin(), runs.end());
  if (!current_) co_return Status();
  const Inside call(&calls_);
  const std::shared_ptr<PluginDriver> driver = current_;
  co_return co_await driver->RestoreComplete(context, std::move(runs));
}

Co<void> ReloadableDriver::Shutdown() {
  if (ending_) co_return;
  ending_ = true;
  life_.Cancel("the driver is being shut down");
  released_.Set();
  co_await replacements_.none.Wait();
  co_await gate_.Close();
  if (!current_) co_return;
  co_await current_->Shutdown();
  health_.Cancel();
  ended_ = std::move(current_);
  current_ = nullptr;
  broken_->SetReason("the driver has been shut down");
  Reigns(broken_);
}

// ------------------------------------------------------------------------------------ the calls

Co<Status> ReloadableDriver::Admit(Context context, Duration limit) {
  if (!held_) co_return Status();
  const Error reloaded(Code::kUnavailable, "driver " + name_ + " is being loaded", true);
  std::optional<Patience> patience;
  if (limit.count() > 0) patience.emplace(context, limit);
  const Context until = patience ? patience->context() : context;
  while (held_ && !ending_) {
    const Status waited = co_await released_.Wait(until);
    if (context.cancelled()) co_return context.status();
    if (!waited.ok()) co_return reloaded;
  }
  co_return Status();
}

bool ReloadableDriver::GivenUp(const Context& issued, const Context& context) const {
  return issued.cancelled() && !context.cancelled() && !ending_;
}

template <typename Answer, typename Call>
Co<Answer> ReloadableDriver::Ask(Context context, Count* among, Call call) {
  while (true) {
    DROVER_CO_TRY(co_await Admit(context));
    const Inside inside(among);
    const std::shared_ptr<Driver> driver = reign_->driver;
    const Context issued = issue_;
    const JoinContext joined(context, issued);
    Answer answer = co_await call(driver.get(), joined.context());
    if (answer.ok() || !GivenUp(issued, context)) co_return answer;
  }
}

ReloadableDriver::Run* ReloadableDriver::FindRun(const RunId& run) {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

Co<Result<StartedTask>> ReloadableDriver::Start(Context context,
                                                std::shared_ptr<const TaskConfig> config) {
  DROVER_CO_TRY(co_await Admit(context));
  // A start is never given up for a reload: the old instance might make good on it later.
  const Inside call(&calls_);
  const Inside start(&starts_);
  const std::shared_ptr<Driver> driver = reign_->driver;
  Result<StartedTask> started = co_await driver->Start(context, config);
  if (!started.ok()) co_return started;  // its destroy follows
  Run& run = runs_[config->run_id];
  run.config = config;
  run.handle = started->handle;
  run.lives = true;
  co_return started;
}

Co<Result<RecoveredTask>> ReloadableDriver::Recover(Context context,
                                                    std::shared_ptr<const TaskConfig> config,
                                                    TaskHandle handle) {
  const RunId id = config->run_id;
  while (true) {
    DROVER_CO_TRY(co_await Admit(context));
    if (Run* known = FindRun(id);
        known != nullptr && known->lives && (known->news.asked_for() || known->unknown)) {
      known->news.Heard(id, parts_.loop->Now(), told_handles_.get());
      co_return RecoveredTask{known->handle, known->exited};
    }
    const Inside call(&calls_);
    const std::shared_ptr<Driver> driver = reign_->driver;
    const Context issued = issue_;
    const JoinContext joined(context, issued);
    Result<RecoveredTask> recovered = co_await driver->Recover(joined.context(), config, handle);
    if (!recovered.ok() && GivenUp(issued, context)) continue;
    if (recovered.code() == Code::kNotFound) runs_.erase(id);
    if (!recovered.ok()) co_return recovered;
    Run& run = runs_[id];
    run.config = config;
    run.handle = recovered->handle;
    run.exited = recovered->exited;
    run.lives = true;
    run.news.Heard(id, parts_.loop->Now(), told_handles_.get());
    co_return recovered;
  }
}

Co<Result<ExitResult>> ReloadableDriver::Wait(Context context, RunId id) {
  while (true) {
    DROVER_CO_TRY(co_await Admit(context));
    Context until = context;  // or until there is something to tell
    if (Run* run = FindRun(id)) {
      if (run->unknown) co_return *run->exited;
      const auto due = run->news.Tell(id, parts_.loop->Now(), told_handles_.get());
      if (due && due->count() == 0)
        co_return Error(Code::kUnavailable, "driver " + name_ + " has given a new handle");
      if (due) until = context.WithTimeout(*due);
    }
    const Inside watch(&watches_);
    const std::shared_ptr<Driver> driver = reign_->driver;
    const Context issued = issue_;
    const JoinContext joined(until, issued);
    Result<ExitResult> end = co_await driver->Wait(joined.context(), id);
    if (!end.ok() && GivenUp(issued, context)) continue;
    if (!end.ok() && until.cancelled() && !context.cancelled()) continue;
    if (Run* run = FindRun(id); run != nullptr && end.ok()) run->exited = *end;
    co_return end;
  }
}

Co<Status> ReloadableDriver::Stop(Context context, RunId run, Duration timeout,
                                  std::string signal) {
  // The task has this long whatever happens to its driver; a host that cannot have it stopped kills
  // it by itself.
  const TimePoint due = parts_.loop->Now() + timeout;
  const Duration patience = std::max(timeout, parts_.limits.relaunch_patience);
  Duration left = timeout;
  while (true) {
    if (held_) {
      DROVER_CO_TRY(co_await Admit(context, patience));
      left = std::max(Duration(0), due - parts_.loop->Now());
    }
    const Inside call(&calls_);
    const std::shared_ptr<Driver> driver = reign_->driver;
    const Context issued = issue_;
    const JoinContext joined(context, issued);
    const Status stopped = co_await driver->Stop(joined.context(), run, left, signal);
    if (stopped.ok() || !GivenUp(issued, context)) co_return stopped;
    left = std::max(Duration(0), due - parts_.loop->Now());
  }
}

Co<Status> ReloadableDriver::ForceKill(Context context, RunId run) {
  co_return co_await KillRun(parts_.processes, std::move(context), run);
}

Co<Status> ReloadableDriver::Signal(Context context, RunId run, std::string signal) {
  const auto send = [run, signal](Driver* driver, const Context& joined) {
    return driver->Signal(joined, run, signal);
  };
  co_return co_await Ask<Status>(context, &calls_, send);
}

Co<Status> ReloadableDriver::Destroy(Context context, RunId id, bool force) {
  while (true) {
    DROVER_CO_TRY(co_await Admit(context));
    const Inside call(&calls_);
    const std::shared_ptr<Driver> driver = reign_->driver;
    const Context issued = issue_;
    const JoinContext joined(context, issued);
    // What is to go is not recovered meanwhile.
    bool lived = false;
    if (Run* run = FindRun(id)) lived = std::exchange(run->lives, false);
    const Status status = co_await driver->Destroy(joined.context(), id, force);
    const bool gone = status.ok() || status.code() == Code::kNotFound;
    if (!gone && GivenUp(issued, context)) continue;
    if (gone || force) {
      runs_.erase(id);
      if (restored_) restored_->erase(id);
    } else if (Run* run = FindRun(id)) {
      run->lives = lived;
    }
    co_return status;
  }
}

Co<Result<TaskStatus>> ReloadableDriver::Inspect(Context context, RunId run) {
  const auto inspect = [run](Driver* driver, const Context& joined) {
    return driver->Inspect(joined, run);
  };
  co_return co_await Ask<Result<TaskStatus>>(context, &calls_, inspect);
}

Co<Status> ReloadableDriver::Stats(Context context, RunId run, StatsRequest request,
                                   std::function<void(TaskUsage)> sink) {
  const auto follow = [run, request, sink](Driver* driver, const Context& joined) {
    return driver->Stats(joined, run, request, sink);
  };
  co_return co_await Ask<Status>(context, &watches_, follow);
}

Co<Result<std::unique_ptr<TaskExecSession>>> ReloadableDriver::Exec(Context context, RunId run,
                                                                    ExecRequest request) {
  using Begun = Result<std::unique_ptr<TaskExecSession>>;
  DROVER_CO_TRY(co_await Admit(context));
  const Inside call(&calls_);
  const std::shared_ptr<Reign> reign = reign_;
  const Context issued = issue_;
  const JoinContext joined(context, issued);
  Begun session = co_await reign->driver->Exec(joined.context(), run, std::move(request));
  if (session.ok()) {
    co_return Begun(std::make_unique<Session>(reign, std::move(*session)));
  }
  // Its streams have been given away: only whoever asked for it has others.
  if (GivenUp(issued, context)) {
    co_return Error(Code::kUnavailable, "driver " + name_ + " was reloaded meanwhile, try again",
                    true);
  }
  co_return session;
}

Result<std::string> ReloadableDriver::NormalizeConfigAt(const std::string& place,
                                                        const std::string& config_json,
                                                        bool final) {
  return reign_->driver->NormalizeConfigAt(place, config_json, final);
}

Subscription ReloadableDriver::OnFingerprint(std::function<void()> changed) {
  return fingerprint_listeners_.Add(std::move(changed));
}

Subscription ReloadableDriver::OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) {
  return event_listeners_.Add(run, std::move(hear));
}

}  // namespace drover
