// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How an instance of a plugin recovers the runs of the instance before it.
#include <algorithm>

#include "host/base/patience.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

// The pauses before an instance is asked again about a run whose state it could not report.
constexpr Duration kAskAgainFirst = 1s;
constexpr Duration kAskAgainLast = 60s;

}  // namespace

// Has NEXT recover all runs that are wanted. In a reload the answers are only stored in ANSWERS,
// and Exchange applies them when everything has succeeded.
Co<Status> SupervisedDriver::RecoverAll(Context context, Cause cause, Instance next,
                                        Answers* answers) {
  std::vector<Co<void>> together;
  std::vector<RunId> suspects;
  // A reload has a time limit for all runs together. If this plugin has a longer recover limit
  // than the default, the limit for all runs is longer by the difference.
  std::optional<Patience> patience;
  if (cause.old_stays) {
    const Duration more = next->code()->driver.limits.recover - parts_.limits.recover;
    patience.emplace(context, parts_.limits.reload_recover + std::max(more, Duration(0)));
  }
  const Context until = patience ? patience->context() : context;
  for (auto& [id, run] : runs_) {
    const bool ended = run.exited && run.lost;
    const bool hopeless = !cause.old_stays && (run.lost || run.deaths >= kMaxDeaths);
    if (!cause.old_stays) run.Seen();  // ends RecoverLater, which asks the old instance
    if (!run.wanted || ended || hopeless) continue;
    if (cause.suspects_alone && run.recovering) {
      suspects.push_back(id);
    } else {
      together.push_back(RecoverOne(until, cause, next, id, answers));
    }
  }
  co_await InParallel(parts_.loop, std::move(together));
  co_await RecoverSuspects(context, next, std::move(suspects));
  DROVER_CO_TRY(context.status());
  int failed = 0;
  std::string first;
  for (const auto& [id, answer] : *answers) {
    // Two failures are ignored. If a run has ended, its result is already in run->exited. If the
    // caller of start or recover still awaits the run, this caller gets the error.
    const Run* const run = FindRun(id);
    if (answer.ok() || run == nullptr || run->exited || run->awaited) continue;
    if (failed++ == 0) first = "run " + id.Short() + ": " + answer.error().message();
  }
  if (failed == 0) co_return Status();
  co_return Error(Code::kFailedPrecondition,
                  "its new instance cannot recover " + std::to_string(failed) + " of " +
                      std::to_string(answers->size()) + " tasks: " + first);
}

Co<void> SupervisedDriver::RecoverSuspects(Context context, Instance from,
                                           std::vector<RunId> suspects) {
  for (const RunId& id : suspects) {
    if (!from->alive()) co_return;
    co_await RecoverOne(context, kDeath, from, id, nullptr);
    Run* const run = FindRun(id);
    if (run == nullptr || from->alive()) continue;
    if (++run->deaths == kMaxDeaths) {
      Log(PluginLogLevel::kError, "run " + id.Short() +
                                      " is not recovered any more: " + std::to_string(kMaxDeaths) +
                                      " processes ended in its recover; it runs on unseen");
    }
  }
}

Co<void> SupervisedDriver::RecoverOne(Context context, Cause cause, Instance from, RunId id,
                                      Answers* answers) {
  Run* run = FindRun(id);
  if (run == nullptr) co_return;
  if (!cause.old_stays) run->recovering = true;
  const std::shared_ptr<const TaskConfig> config = run->config;
  TaskHandle handle = run->handle;
  Result<RecoveredTask> answer =
      co_await from->driver()->Recover(context, config, std::move(handle));
  if (cause.old_stays) {
    answers->emplace(id, std::move(answer));
    co_return;
  }
  run = FindRun(id);
  // If the process has ended, or was killed because it did not answer in time, run->recovering
  // stays true. So RecoverAll of the next instance recovers the run as a suspect, after the other
  // runs.
  if (run == nullptr || !Hears(from->number()) || !from->alive()) co_return;
  run->recovering = false;
  if (answer.ok()) {
    if (run->unseen) Log(PluginLogLevel::kInfo, "run " + id.Short() + " is recovered after all");
    Learn(id, std::move(*answer), from->number());
  } else if (!context.cancelled() && run->known_by != from->number()) {
    if (answer.code() == Code::kNotFound) (void)co_await ReleaseUnknown(id);
    Miss(id, answer.error());
  }
  // Other errors are ignored: the context was cancelled, or another recover of the run has
  // succeeded in the meantime.
}

// Releases a run of which the driver says that no part of it exists. An agent that died in the
// start of the run may have left a place, named processes or a shim, and nobody else would find
// them. In a reload, the answer of the new instance is no reason to do this: the old instance may
// stay.
Co<Status> SupervisedDriver::ReleaseUnknown(RunId id) {
  if (parts_.processes == nullptr) co_return Status();
  const Context patient = life_.Child();
  Status released = co_await parts_.processes->Release(patient, id);
  if (!released.ok() && !ending_) {
    Log(PluginLogLevel::kWarn,
        "run " + id.Short() + " cannot be released: " + released.error().message());
  }
  co_return released;
}

// Stores that the instance NUMBER knows the run, and the answer to its recover.
void SupervisedDriver::Learn(const RunId& id, RecoveredTask recovered, int number) {
  Run* const run = FindRun(id);
  if (run == nullptr) return;
  run->known_by = number;
  run->lost.reset();
  run->recovering = false;
  run->deaths = 0;
  run->Seen();
  if (recovered.exited) run->exited = std::move(recovered.exited);
  if (run->handle != recovered.handle) {
    run->handle = std::move(recovered.handle);
    const TaskHandle handle = run->handle;
    handle_listeners_.Call(id, handle);
  }
  if (Hears(number)) HearComing(id);
}

// Stores that the instance in charge has failed to recover the run.
void SupervisedDriver::Miss(const RunId& id, const Error& error) {
  Run* const run = FindRun(id);
  // The instance cannot report yet what became of the run: something that it needs may be
  // unavailable.
  const bool unknown = error.code() == Code::kUnavailable || error.code() == Code::kTimeout;
  if (!unknown) {
    run->lost = error;
    run->Seen();
  }
  if (error.code() != Code::kNotFound && !run->unseen) {
    Log(PluginLogLevel::kError, "run " + id.Short() + " cannot be recovered" +
                                    (unknown ? " yet: " : ": ") + error.message());
  }
  if (unknown && !run->unseen) {
    run->unseen = std::make_shared<Event>(parts_.loop);
    gate_.Spawn(RecoverLater(id));
  }
}

// Asks the instance in charge until it reports what became of the run.
Co<void> SupervisedDriver::RecoverLater(RunId id) {
  const std::shared_ptr<Event> unseen = FindRun(id)->unseen;
  for (Duration pause = kAskAgainFirst; !unseen->is_set();
       pause = std::min(2 * pause, kAskAgainLast)) {
    (void)co_await Sleep(life_, pause);
    const Run* const run = FindRun(id);
    if (life_.cancelled() || run == nullptr || run->unseen != unseen) break;
    // Asks no instance while the run is being destroyed, while the instance is being replaced, or
    // after the process of the instance has ended.
    if (!run->wanted || held_ || !Serves()) continue;
    const Instance instance = instance_;
    co_await RecoverOne(life_, kDeath, instance, id, nullptr);
  }
  unseen->Set();
}

std::vector<RunId> SupervisedDriver::KnownRuns() const {
  std::set<RunId> known = *restored_;
  for (const auto& [id, run] : runs_) {
    if (run.wanted) known.insert(id);
  }
  return {known.begin(), known.end()};
}

}  // namespace drover
