// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The lives of a plugin's process: launched, given its runs back, ended, launched again.
#include <algorithm>

#include "host/base/patience.h"
#include "host/plugin/contained_driver.h"

namespace drover {
namespace {

// Between two times that a process which could not say what became of a run is asked again.
constexpr Duration kAskAgainFirst = 1s;
constexpr Duration kAskAgainLast = 60s;

}  // namespace

void ContainedDriver::Log(PluginLogLevel level, const std::string& message) const {
  if (parts_.driver.log) parts_.driver.log(level, info_.name, nullptr, message);
}

Co<Status> ContainedDriver::Create(Context context) {
  Status made = co_await Bring(std::move(context));
  // One that hangs is ended, like one that crashes.
  if (made.code() == Code::kTimeout) made = Error(Code::kUnavailable, made.error().message());
  if (!made.ok()) {
    GiveUp(made.error());
    if (made.code() != Code::kUnavailable) co_return made;
    ended_.Set();
  }
  gate_.Spawn(Keep());
  co_return made;
}

// After a Bring that failed with ERROR: the process is of no use, if there is one.
void ContainedDriver::GiveUp(const Error& error) {
  reason_ = given_up_for_ = error.message();
  if (container_ && !launch_->death) {
    reason_ = last_end_ = "plugin " + Name() + " was ended: " + given_up_for_;
  }
  Update();
}

// Brings a process back each time that one has ended.
Co<void> ContainedDriver::Keep() {
  Duration delay = limits().relaunch_first;
  while (!life_.cancelled()) {
    (void)co_await ended_.Wait(life_);
    if (life_.cancelled()) break;
    // Everything that the old one was doing has ended before the new one is asked for anything.
    const Living old = std::move(current_);
    current_ = nullptr;
    health_.Cancel();
    if (old) co_await old->Shutdown();
    if (container_) container_->Kill(given_up_for_, /*ask=*/false);
    container_ = nullptr;
    if (loop()->Now() - launched_ >= limits().relaunch_reset) delay = limits().relaunch_first;
    Log(PluginLogLevel::kError, reason_ + "; it is launched again in " + FormatDuration(delay));
    (void)co_await Sleep(life_, delay);
    delay = std::min(2 * delay, limits().relaunch_last);
    if (life_.cancelled()) break;
    const Status back = co_await Bring(life_);
    if (back.ok()) {
      Log(PluginLogLevel::kInfo, "is back, with " + std::to_string(runs_.size()) + " runs");
    } else if (!life_.cancelled() && !ended_.is_set()) {
      GiveUp(back.error());
      ended_.Set();
    }
  }
}

// A living process that knows what the one before it knew.
Co<Status> ContainedDriver::Bring(Context context) {
  DROVER_CO_TRY(co_await LaunchProcess(context));
  LoadedDriver::Parts parts = parts_.driver;
  parts.container = container_;
  const std::weak_ptr<ProcessContainer> process = container_;
  parts.stuck = [process](const std::string& what) {
    if (const auto alive = process.lock()) alive->Kill(what, /*ask=*/true);
  };
  parts.hear_events = [this](const DriverEvent& event) {
    event_listeners_.Call(event.run_id, event);
    if (parts_.driver.hear_events) parts_.driver.hear_events(event);
  };
  current_ = std::make_shared<LoadedDriver>(std::move(parts));
  const Living driver = current_;
  health_ = driver->OnFingerprint([this] { Update(); });
  DROVER_CO_TRY(co_await driver->Create(context, parts_.config_json));
  info_ = driver->info();
  if (generation_ > 1) {
    // Its health is known before it counts as back; a driver that tells none is unhealthy then.
    const Patience patience(context, limits().fingerprint);
    (void)co_await driver->first_fingerprint()->Wait(patience.context());
  }
  co_await RecoverAll(context);
  if (restored_ && container_->alive()) {
    std::vector<RunId> known = KnownRuns();
    const Status told = co_await driver->RestoreComplete(context, std::move(known));
    if (!container_->alive()) co_return co_await AwaitDeath();  // whatever it has answered
    if (!told.ok() && told.code() != Code::kUnimplemented) {
      Log(PluginLogLevel::kWarn, "restore_complete: " + told.error().message());
    }
  }
  co_await DestroyUnheard(context);
  if (!container_->alive()) co_return co_await AwaitDeath();
  ready_ = true;
  ready_event_.Set();
  Update();
  co_return Status();
}

Co<Status> ContainedDriver::LaunchProcess(Context context) {
  ++generation_;
  launched_ = loop()->Now();
  ended_.Reset();  // whatever is still heard of an older one
  const auto launch = std::make_shared<Launch>(loop(), this);
  Follow(launch);
  ProcessContainer::Listener listener;
  listener.loaded = [launch, port = port_](Result<PluginInfo> info) {
    auto told = std::make_shared<Result<PluginInfo>>(std::move(info));
    port->Post([launch, told] {
      launch->info.emplace(std::move(*told));
      launch->heard.Set();
    });
  };
  listener.died = [launch, port = port_](ContainerDeath death) {
    auto told = std::make_shared<ContainerDeath>(std::move(death));
    port->Post([launch, told] {
      launch->death = std::move(*told);
      launch->heard.Set();
      // What was posted before the port was closed still comes, also when the driver has gone.
      if (launch->driver != nullptr) launch->driver->Died(launch);
    });
  };
  listener.line = [log = parts_.driver.log, name = info_.name](const std::string& line) {
    if (log) log(PluginLogLevel::kInfo, name, nullptr, "wrote: " + line);
  };
  using Made = Result<std::unique_ptr<ProcessContainer>>;
  auto made = std::make_shared<Made>(Error(Code::kInternal, ""));
  std::function<void()> start = [made, file = parts_.file, name = Name(),
                                 listener = std::move(listener)] {
    *made = ProcessContainer::Start(file->fd, file->path, name, listener);
  };
  co_await parts_.workers->Do(std::move(start));
  if (!made->ok()) {
    co_return Error(Code::kUnavailable,
                    "plugin " + Name() + " cannot be launched: " + made->error().message());
  }
  container_ = std::move(**made);
  const Patience patience(context, limits().load);
  (void)co_await launch->heard.Wait(patience.context());
  if (launch->death) co_return Error(Code::kUnavailable, launch->death->Text(Name()));
  if (!launch->info) {
    DROVER_CO_TRY(context.status());
    co_return Error(Code::kUnavailable,
                    "it has not been loaded within " + FormatDuration(limits().load));
  }
  if (!launch->info->ok()) co_return launch->info->error();
  if (**launch->info != parts_.driver.info) {
    co_return Error(Code::kInternal,
                    parts_.file->path + " says other things about itself than in the probe");
  }
  co_return Status();
}

// Only what becomes of NEXT is of interest from now on.
void ContainedDriver::Follow(std::shared_ptr<Launch> next) {
  if (launch_) launch_->driver = nullptr;
  launch_ = std::move(next);
}

void ContainedDriver::Died(const std::shared_ptr<Launch>& launch) {
  if (ending_) return;
  reason_ = launch->death->Text(Name());
  last_end_ = reason_;
  last_output_ = launch->death->output;
  last_death_ = launch->death;
  died_at_ = loop()->Wall();
  ready_ = false;
  ready_event_.Reset();
  ended_.Set();
  Update();
}

// Runs that are not suspected are recovered side by side; those that a process did not survive come
// after them, one at a time, so that what they do costs the others little.
Co<void> ContainedDriver::RecoverAll(Context context) {
  std::vector<Co<void>> unsuspected;
  std::vector<RunId> suspected;
  for (auto& [id, run] : runs_) {
    run.Seen();  // the process before this one is asked no more
    if (!run.wanted || run.lost || run.deaths >= kMaxDeaths) continue;
    if (run.recovering) {
      suspected.push_back(id);
    } else {
      unsuspected.push_back(RecoverOne(context, current_, id));
    }
  }
  co_await InParallel(loop(), std::move(unsuspected));
  for (const RunId& id : suspected) {
    if (!container_->alive()) break;
    if (FindRun(id) == nullptr) continue;
    co_await RecoverOne(context, current_, id);
    Run* run = FindRun(id);
    if (run == nullptr || container_->alive()) continue;
    if (++run->deaths == kMaxDeaths) {
      Log(PluginLogLevel::kError, "run " + id.Short() +
                                      " is not recovered any more: " + std::to_string(kMaxDeaths) +
                                      " processes ended in its recover; it runs on unseen");
    }
  }
}

// The process has ended, or is being ended and says its last words: what it died of is known then.
Co<Status> ContainedDriver::AwaitDeath() {
  (void)co_await ended_.Wait(life_);
  co_return Unavailable();
}

Co<void> ContainedDriver::RecoverOne(Context context, Living driver, RunId id) {
  Run* run = FindRun(id);
  run->recovering = true;
  const std::shared_ptr<const TaskConfig> config = run->config;
  TaskHandle handle = run->handle;
  Result<RecoveredTask> recovered = co_await driver->Recover(context, config, std::move(handle));
  run = FindRun(id);
  // A recover that is not answered in time ends the process, too.
  if (run == nullptr || driver != current_ || !container_->alive()) co_return;
  run->recovering = false;
  // Nobody wants to know it any more, or a recover beside this one has told it.
  if (!recovered.ok() && (context.cancelled() || run->generation == generation_)) co_return;
  if (!recovered.ok()) {
    // The driver cannot say what became of the run, yet: what it needs may be away.
    const bool unknown =
        recovered.code() == Code::kUnavailable || recovered.code() == Code::kTimeout;
    if (!unknown) {
      run->lost = recovered.error();
      run->Seen();
    }
    if (recovered.code() != Code::kNotFound && !run->unseen) {
      Log(PluginLogLevel::kError, "run " + id.Short() + " cannot be recovered" +
                                      (unknown ? " yet: " : ": ") + recovered.error().message());
    }
    if (unknown && !run->unseen) {
      run->unseen = std::make_shared<Event>(loop());
      gate_.Spawn(RecoverLater(id));
    }
    co_return;
  }
  if (run->unseen) Log(PluginLogLevel::kInfo, "run " + id.Short() + " is recovered after all");
  run->deaths = 0;
  run->generation = generation_;
  run->Seen();
  if (recovered->handle != run->handle) run->news.Note();
  run->handle = std::move(recovered->handle);
  run->exited = std::move(recovered->exited);
}

// Asks the process that lives until it says what became of the run.
Co<void> ContainedDriver::RecoverLater(RunId id) {
  const std::shared_ptr<Event> unseen = FindRun(id)->unseen;
  for (Duration pause = kAskAgainFirst; !unseen->is_set();
       pause = std::min(2 * pause, kAskAgainLast)) {
    (void)co_await Sleep(life_, pause);
    const Run* run = FindRun(id);
    if (life_.cancelled() || run == nullptr || run->unseen != unseen) break;
    // It is about to be destroyed, or the process to be gone.
    if (!run->wanted || !ready_ || !container_->alive()) continue;
    const Living driver = current_;
    co_await RecoverOne(life_, driver, id);
  }
  unseen->Set();
}

// Once each: a process that ends in it is followed by one that has not recovered the run.
Co<void> ContainedDriver::DestroyUnheard(Context context) {
  while (!unheard_.empty() && container_->alive()) {
    const RunId id = *unheard_.begin();
    unheard_.erase(id);
    const Status gone = co_await current_->Destroy(context, id, /*force=*/true);
    if (gone.ok() || gone.code() == Code::kNotFound) continue;
    Log(PluginLogLevel::kWarn,
        "run " + id.Short() + " cannot be destroyed: " + gone.error().message());
  }
}

std::vector<RunId> ContainedDriver::KnownRuns() const {
  std::set<RunId> known = restored_.value_or(std::set<RunId>());
  for (const auto& [id, run] : runs_) {
    if (run.wanted) known.insert(id);
  }
  return {known.begin(), known.end()};
}

void ContainedDriver::Update() {
  Fingerprint now;
  if (ending_) {
    now.description = "the driver has been shut down";
  } else if (ready_) {
    now = current_->fingerprint();
  } else if (generation_ <= 1 && current_ && container_ && container_->alive()) {
    now.description = "the driver has not told its health yet";
  } else {
    now.health = Health::kUnhealthy;
    now.description = reason_;
  }
  if (now == fingerprint_) return;
  fingerprint_ = std::move(now);
  fingerprint_listeners_.Call();
}

}  // namespace drover
