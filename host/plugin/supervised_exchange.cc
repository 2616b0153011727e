// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How an instance of a plugin replaces another one while the tasks run on.
#include <algorithm>

#include "host/base/patience.h"
#include "host/plugin/supervised_driver.h"

namespace drover {

// ------------------------------------------------------- load, reload and the end of a process

Co<Status> SupervisedDriver::Load(Context context, PluginCode code) {
  code_ = std::make_shared<const PluginCode>(std::move(code));
  delay_ = limits().relaunch_first;
  last_.launches = 1;
  coming_ = NewInstance(code_);
  const Status loaded = co_await Exchange(context, kDeath, coming_);
  const Instance made = std::move(coming_);
  if (loaded.ok()) {
    Release();
    co_return loaded;
  }
  if (code_->in_process() || loaded.code() != Code::kUnavailable) {
    gate_.Spawn(End(made));
  } else {
    instance_ = made;
    info_ = ToDriverInfo(code_->driver.info);
    state_ = State::kDown;
    GiveUp(loaded.error());
    relaunches_.Spawn(BringBack());
    Release();
  }
  co_return loaded.error().WithContext(code_->path + " cannot be started");
}

Co<Status> SupervisedDriver::Reload(Context context, PluginCode code) {
  DROVER_CHECK(reloads_.calls() == 0);
  const CallCount::Inside reload(&reloads_);
  const JoinContext joined(context, life_);
  const std::string path = code.path;
  const Instance next = NewInstance(std::make_shared<const PluginCode>(std::move(code)));
  Status done = co_await Prepare(joined.context(), next);
  if (done.ok()) {
    Hold();
    relaunch_.Cancel("the plugin is being reloaded");
    co_await relaunches_.Join();
    done = co_await Exchange(joined.context(), kReload, next);
    if (!done.ok()) done = done.error().WithContext(path);
    if (!done.ok() && issue_.cancelled()) issue_ = Context(parts_.loop);
    relaunch_ = life_.Child();
    if (state_ == State::kDown) relaunches_.Spawn(BringBack());
    Release();
  }
  // Ending an instance that hangs takes long, so the caller does not wait for it.
  if (!done.ok()) gate_.Spawn(End(next));
  co_return done;
}

// Starts NEXT for a reload. Fails if the instance in charge is healthy and NEXT is not healthy.
// Fails also if the agent has not recovered its own tasks yet.
Co<Status> SupervisedDriver::Prepare(Context context, Instance next) {
  const std::string path = next->code()->path;
  const Status made = co_await next->Create(context);
  if (!made.ok()) co_return made.error().WithContext(path + " cannot be started");
  const Patience patience(context, next->code()->driver.limits.fingerprint);
  co_await next->AwaitFirstFingerprint(patience.context());
  co_await next->AwaitDeath(context);
  Fingerprint told = next->driver()->fingerprint();
  if (!next->alive()) told = {Health::kUnhealthy, next->death_text(), {}};
  if (fingerprint_.health == Health::kHealthy && told.health != Health::kHealthy) {
    co_return Error(Code::kUnavailable,
                    path + ": its new instance is not healthy: " + told.description);
  }
  if (!has_instance() || restored_) co_return Status();
  const Error early(Code::kUnavailable,
                    "the agent has just started and still finds its tasks again: try it later",
                    true);
  co_return early.WithContext(path);
}

void SupervisedDriver::Died(int number, const ContainerDeath& death) {
  const bool in_charge = instance_ && instance_->number() == number;
  if (ending_ || !Hears(number)) return;
  reason_ = death.Text(code_->Title());
  last_.last_end = reason_;
  last_.output = death.output;
  last_.death = death;
  last_.died_at = parts_.loop->Wall();
  const bool served = in_charge && state_ == State::kServes;
  if (served) state_ = State::kDown;
  Update();
  // BringBack launches the next process. While calls are held, a reload is active. At its end,
  // Reload spawns BringBack itself.
  if (served && !held_) relaunches_.Spawn(BringBack());
}

// Stores the ERROR of an instance that could not be brought back. Does nothing if its process has
// ended, since Died has then stored the reason.
void SupervisedDriver::GiveUp(const Error& error) {
  if (instance_->died()->is_set()) return;
  reason_ = error.message();
  if (instance_->alive()) {
    reason_ = last_.last_end = "plugin " + code_->Title() + " was ended: " + error.message();
  }
  Update();
}

// Makes new instances until one of them is in charge.
Co<void> SupervisedDriver::BringBack() {
  const Context context = relaunch_;
  while (true) {
    // The last instance must end completely before the next instance gets its first call.
    const Instance last = instance_;
    health_.Cancel();
    co_await last->AwaitDeath(context);
    co_await last->End();
    if (context.cancelled()) co_return;
    if (parts_.loop->Now() - last->made_at() >= limits().relaunch_reset) {
      delay_ = limits().relaunch_first;
    }
    Log(PluginLogLevel::kError, reason_ + "; it is launched again in " + FormatDuration(delay_));
    (void)co_await Sleep(context, delay_);
    if (context.cancelled()) co_return;
    delay_ = std::min(2 * delay_, limits().relaunch_last);
    ++last_.launches;
    coming_ = NewInstance(code_);
    const Status back = co_await Exchange(context, kDeath, coming_);
    const Instance made = std::move(coming_);
    if (back.ok()) {
      Log(PluginLogLevel::kInfo, "is back, with " + std::to_string(runs_.size()) + " runs");
      co_return;
    }
    instance_ = made;
    if (!context.cancelled()) {
      GiveUp(back.error());
    } else if (!ending_) {  // a reload has cancelled this BringBack
      made->Kill("it was given up before it was in charge");
    }
  }
}

// -------------------------------------------------------------------------------- the exchange

Co<Status> SupervisedDriver::Exchange(Context context, Cause cause, Instance next) {
  if (cause.old_stays) {
    DROVER_CO_TRY(co_await Drain(context));
  } else {
    DROVER_CO_TRY(co_await Create(context, next));
  }
  Answers answers;
  DROVER_CO_TRY(co_await RecoverAll(context, cause, next, &answers));
  DROVER_CO_TRY(co_await ReportRuns(context, cause, next));
  DROVER_CO_TRY(context.status());
  co_await next->AwaitDeath(context);
  if (!next->alive()) co_return Error(Code::kUnavailable, next->death_text());
  // There is no co_await from here to the end. So a call that was held uses either the old or the
  // next instance, and never sees a state between the two.
  for (auto& [id, answer] : answers) {
    if (answer.ok()) {
      Learn(id, std::move(*answer), next->number());
    } else if (Run* run = FindRun(id)) {
      run->lost = answer.error();
      run->Seen();
    }
  }
  if (cause.old_stays) {
    // last_ describes only processes of the current code. So it begins anew with the first process
    // of the new code.
    code_ = next->code();
    last_ = ContainerStatus();
    last_.launches = 1;
    delay_ = limits().relaunch_first;
    unheard_.clear();
  }
  const Instance old = instance_;
  TakeCharge(next);
  if (cause.old_stays && old) gate_.Spawn(Retire(old));
  co_return Status();
}

Co<Status> SupervisedDriver::Create(Context context, Instance next) {
  DROVER_CO_TRY(co_await next->Create(context));
  if (last_.launches == 1) co_return Status();
  // A relaunched instance is put in charge only when its health is known. A driver that reports no
  // health in time is unhealthy.
  const Patience patience(context, limits().fingerprint);
  co_await next->AwaitFirstFingerprint(patience.context());
  co_return Status();
}

// Returns when no call is inside the instance in charge any more. Calls that do not end in time are
// given up, and are repeated with the instance that is in charge after the reload. A start cannot
// be repeated, so the reload fails if a start does not end in time.
Co<Status> SupervisedDriver::Drain(Context context) {
  {
    const Patience patience(context, parts_.limits.reload_drain);
    (void)co_await calls_.none()->Wait(patience.context());
  }
  DROVER_CO_TRY(context.status());
  const std::string within = " have not ended within " + FormatDuration(parts_.limits.reload_drain);
  if (starts_.calls() > 0) {
    co_return Error(Code::kUnavailable,
                    std::to_string(starts_.calls()) + " of its starts" + within +
                        ": reload it when they have ended",
                    true);
  }
  issue_.Cancel("the plugin is being reloaded");
  const Patience patience(context, parts_.limits.reload_drain);
  (void)co_await calls_.none()->Wait(patience.context());
  (void)co_await watches_.none()->Wait(patience.context());
  DROVER_CO_TRY(context.status());
  const int left = calls_.calls() + watches_.calls();
  if (left == 0) co_return Status();
  co_return Error(Code::kUnavailable,
                  std::to_string(left) + " of its calls" + within + ", though they were cancelled",
                  true);
}

// Reports the runs that the host knows to NEXT by restore_complete. Then has NEXT destroy the runs
// in unheard_, which were destroyed while no process could be asked. While one of the two steps is
// in progress, the other may become necessary, so the loop checks for both after each step.
Co<Status> SupervisedDriver::ReportRuns(Context context, Cause cause, Instance next) {
  bool told = false;
  while (next->alive() && !context.cancelled()) {
    if (restored_ && !told) {
      told = true;
      std::vector<RunId> known = KnownRuns();
      const Status status = co_await next->driver()->RestoreComplete(context, std::move(known));
      if (status.ok() || status.code() == Code::kUnimplemented || !next->alive()) continue;
      if (cause.old_stays) co_return status.error().WithContext("restore_complete");
      if (context.cancelled()) break;
      Log(PluginLogLevel::kWarn, "restore_complete: " + status.error().message());
    } else if (!cause.old_stays && !unheard_.empty()) {
      co_await DestroyUnheard(context, next);
    } else {
      break;
    }
  }
  co_return Status();
}

// Has the instance BY destroy the first run in unheard_, which was destroyed while no process could
// be asked. Tries this only once: if the process of BY ends during the attempt, the next process
// does not recover the run.
Co<void> SupervisedDriver::DestroyUnheard(Context context, Instance by) {
  const RunId id = *unheard_.begin();
  unheard_.erase(id);
  const Status gone = co_await by->driver()->Destroy(context, id, /*force=*/true);
  if (gone.ok() || gone.code() == Code::kNotFound) co_return;
  if (context.cancelled()) {  // the next instance is asked instead
    unheard_.insert(id);
    co_return;
  }
  Log(PluginLogLevel::kWarn,
      "run " + id.Short() + " cannot be destroyed: " + gone.error().message());
}

// -------------------------------------------------------------------------------- the instances

SupervisedDriver::Instance SupervisedDriver::NewInstance(std::shared_ptr<const PluginCode> code) {
  PluginInstance::Listener listener;
  listener.event = [this](int number, const DriverEvent& event) {
    if (Hears(number)) event_listeners_.Call(event.run_id, event);
  };
  listener.news = [this](int number, const TaskNews& news) { HearNews(number, news); };
  listener.died = [this](int number, const ContainerDeath& death) { Died(number, death); };
  return std::make_shared<PluginInstance>(std::move(code), ++instances_, std::move(listener));
}

// Returns true if messages of the instance NUMBER are accepted. Messages of a reload's new instance
// are ignored until that instance is in charge.
bool SupervisedDriver::Hears(int number) const {
  return (instance_ && instance_->number() == number) || (coming_ && coming_->number() == number);
}

// Takes the news of a run that the instance NUMBER knows. The next instance gets a new handle. A
// driver may send news as soon as it has completed a start or recover, so they may come before the
// caller has its answer and listens. Such news wait for it. Those of an instance that recovers the
// run for the driver itself wait until Learn, and those of a reload until it is in charge.
void SupervisedDriver::HearNews(int number, const TaskNews& news) {
  Run* const run = FindRun(news.run_id);
  const bool hears = Hears(number);
  if (run != nullptr && run->wanted && !run->exited && number > run->known_by &&
      !(hears && run->lost)) {
    if (std::exchange(run->coming_from, number) != number) run->coming = {};
    return run->coming.Merge(news.what);
  }
  if (!hears) return;
  const bool known = run != nullptr && !run->exited && (!run->wanted || run->known_by == number);
  if (!known) {
    // Logs the first one, and then each time that the number has doubled, so that a driver cannot
    // fill the log.
    ++unknown_news_;
    if ((unknown_news_ & (unknown_news_ - 1)) != 0) return;
    return Log(PluginLogLevel::kWarn, "its news of run " + news.run_id.Short() +
                                          " are dropped: it has no such run now (" +
                                          std::to_string(unknown_news_) + " so far)");
  }
  if (news.what.handle) run->handle = *news.what.handle;
  if (run->listened) return news_listeners_.Call(news.run_id, news);
  run->early.Merge(news.what);
}

// Hears the news that the instance which knows the run sent before that was stored.
void SupervisedDriver::HearComing(const RunId& id) {
  Run* const run = FindRun(id);
  if (run == nullptr || run->coming_from == 0 || run->coming_from != run->known_by) return;
  const int number = std::exchange(run->coming_from, 0);
  const TaskNews news{id, std::exchange(run->coming, {})};
  if (!run->exited) HearNews(number, news);
}

void SupervisedDriver::TakeCharge(Instance next) {
  instance_ = std::move(next);
  state_ = State::kServes;
  health_ = instance_->driver()->OnFingerprint([this] { Update(); });
  info_ = instance_->driver()->info();
  start_turns_.SetLimit(info_.capabilities ? info_.capabilities->parallel_starts : 0);
  issue_ = Context(parts_.loop);
  back_.Set();
  devices_.TakeCharge();
  prepares_.TakeCharge();
  Update();
  std::vector<RunId> told;
  for (const auto& [id, run] : runs_) {
    if (run.coming_from != 0) told.push_back(id);
  }
  for (const RunId& id : told) HearComing(id);
}

Co<void> SupervisedDriver::Retire(Instance old) {
  if (const int sessions = old->sessions()->calls(); sessions > 0) {
    Log(PluginLogLevel::kInfo,
        "the old instance stays for " + std::to_string(sessions) + " commands that run through it");
    const Patience patience(life_, parts_.limits.retire);
    (void)co_await old->sessions()->none()->Wait(patience.context());
  }
  co_await old->End();
}

Co<void> SupervisedDriver::End(Instance instance) { co_await instance->End(); }

}  // namespace drover
