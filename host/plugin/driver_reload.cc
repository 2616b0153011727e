// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How an instance of a plugin takes the place of another while its tasks run.
#include <algorithm>

#include "host/base/patience.h"
#include "host/plugin/reloadable_driver.h"

namespace drover {

void ReloadableDriver::Log(PluginLogLevel level, const std::string& message) const {
  if (parts_.log) parts_.log(level, name_, nullptr, message);
}

Co<Status> ReloadableDriver::Replace(Context context, std::shared_ptr<PluginDriver> next) {
  DROVER_CHECK(replacements_.calls == 0);
  const Inside replacement(&replacements_);
  const Context life = life_;
  const JoinContext joined(context, life);
  co_return co_await TakeOver(joined.context(), std::move(next));
}

Co<Status> ReloadableDriver::TakeOver(Context context, std::shared_ptr<PluginDriver> next) {
  if (current_ && !restored_) {
    co_return Error(Code::kUnavailable,
                    "the agent has just started and still finds its tasks again: try it later",
                    true);
  }
  held_ = true;
  released_.Reset();
  Recovered recovered;
  next_ = next.get();
  const Status ready = co_await Prepare(context, next.get(), &recovered);
  next_ = nullptr;
  const std::map<RunId, TaskHandle> newer = std::exchange(newer_handles_, {});
  // From here to the end nothing waits, so whoever was held meets one instance or the other.
  if (ready.ok()) {
    Learn(std::move(recovered));
    for (const auto& [run, handle] : newer) LearnHandle(run, handle);
    const std::shared_ptr<PluginDriver> old = std::move(current_);
    const std::shared_ptr<Reign> reign = reign_;
    Use(std::move(next));
    if (old) {
      old->Retire();
      gate_.Spawn(Retire(old, reign));
    }
  } else if (issue_.cancelled()) {
    issue_ = Context(parts_.loop);
  }
  Release();
  co_return ready;
}

Co<Status> ReloadableDriver::Prepare(Context context, PluginDriver* next, Recovered* recovered) {
  DROVER_CO_TRY(co_await Drain(context));
  DROVER_CO_TRY(co_await RecoverAll(context, next, recovered));
  if (restored_) {
    std::vector<RunId> known = KnownRuns();
    const Status told = co_await next->RestoreComplete(context, std::move(known));
    if (!told.ok() && told.code() != Code::kUnimplemented) {
      co_return told.error().WithContext("restore_complete");
    }
  }
  DROVER_CO_TRY(context.status());
  if (next->code() == nullptr) co_return Error(Code::kUnavailable, next->fingerprint().description);
  co_return Status();
}

// Returns when no call is in the instance in charge any more. Those that do not end in time are
// given up, and made again of whoever is in charge then; only a start cannot be.
Co<Status> ReloadableDriver::Drain(Context context) {
  {
    const Patience patience(context, parts_.limits.reload_drain);
    (void)co_await calls_.none.Wait(patience.context());
  }
  DROVER_CO_TRY(context.status());
  if (starts_.calls > 0) {
    co_return Error(Code::kUnavailable,
                    std::to_string(starts_.calls) + " of its starts have not ended within " +
                        FormatDuration(parts_.limits.reload_drain) +
                        ": reload it when they have ended",
                    true);
  }
  issue_.Cancel("the plugin is being reloaded");
  const Patience patience(context, parts_.limits.reload_drain);
  (void)co_await calls_.none.Wait(patience.context());
  (void)co_await watches_.none.Wait(patience.context());
  DROVER_CO_TRY(context.status());
  if (calls_.calls + watches_.calls > 0) {
    co_return Error(Code::kUnavailable,
                    std::to_string(calls_.calls + watches_.calls) +
                        " of its calls have not ended within " +
                        FormatDuration(parts_.limits.reload_drain) + ", though they were cancelled",
                    true);
  }
  co_return Status();
}

Co<void> ReloadableDriver::RecoverOne(Context context, PluginDriver* next,
                                      std::shared_ptr<const TaskConfig> config, TaskHandle handle,
                                      Result<RecoveredTask>* to) {
  *to = co_await next->Recover(std::move(context), std::move(config), std::move(handle));
}

Co<Status> ReloadableDriver::RecoverAll(Context context, PluginDriver* next, Recovered* recovered) {
  // What an operator gives this plugin's recover above that of others counts here, too.
  const Duration more = next->LimitOf(&DriverLimits::recover) - parts_.limits.recover;
  const Patience patience(context, parts_.limits.reload_recover + std::max(more, Duration(0)));
  std::vector<Co<void>> all;
  for (const auto& [id, run] : runs_) {
    if (!run.lives || run.unknown) continue;
    const Error unasked(Code::kInternal, "it was not asked");
    Result<RecoveredTask>* to = &recovered->emplace(id, unasked).first->second;
    all.push_back(RecoverOne(patience.context(), next, run.config, run.handle, to));
  }
  co_await InParallel(parts_.loop, std::move(all));
  DROVER_CO_TRY(context.status());
  int failed = 0;
  std::string first;
  for (const auto& [id, result] : *recovered) {
    // One that has ended is not needed any more: how it ended is known here.
    if (result.ok() || runs_[id].exited) continue;
    if (failed++ == 0) first = "run " + id.Short() + ": " + result.error().message();
  }
  if (failed == 0) co_return Status();
  co_return Error(Code::kFailedPrecondition,
                  "its new instance cannot recover " + std::to_string(failed) + " of " +
                      std::to_string(recovered->size()) + " tasks: " + first);
}

void ReloadableDriver::Learn(Recovered recovered) {
  for (auto& [id, result] : recovered) {
    Run& run = runs_[id];
    if (!result.ok()) {
      run.unknown = true;
      continue;
    }
    if (result->exited) run.exited = std::move(result->exited);
    LearnHandle(id, result->handle);
  }
}

void ReloadableDriver::LearnHandle(const RunId& id, const TaskHandle& handle) {
  Run* const run = FindRun(id);
  if (run == nullptr || run->handle == handle) return;
  run->handle = handle;
  handle_listeners_.Call(id, handle);
}

std::vector<RunId> ReloadableDriver::KnownRuns() const {
  std::set<RunId> known = *restored_;
  for (const auto& [id, run] : runs_) {
    if (run.lives) known.insert(id);
  }
  return {known.begin(), known.end()};
}

Co<void> ReloadableDriver::Retire(std::shared_ptr<PluginDriver> old, std::shared_ptr<Reign> reign) {
  if (reign->sessions > 0) {
    Log(PluginLogLevel::kInfo, "the old instance stays for " + std::to_string(reign->sessions) +
                                   " commands that run through it");
    const Patience patience(life_, parts_.limits.retire);
    (void)co_await reign->no_sessions.Wait(patience.context());
  }
  co_await old->Shutdown();
}

}  // namespace drover
