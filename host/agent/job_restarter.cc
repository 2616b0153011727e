// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/job_restarter.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "host/agent/replacement_wait.h"
#include "host/job_restart/restart_plan.h"

namespace drover {
namespace {

// After a start of the agent, a runner may not be there yet. It also has to wait for its turn.
constexpr Duration kRunnerPatience = 30s;
constexpr Duration kRunnerPause = 100ms;

std::string CountText(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " allocation" : " allocations");
}

}  // namespace

void JobRestarter::CarryOut(const Context& stop, const std::string& id) {
  if (!under_way_.insert(id).second) return;
  if (!options_.gate->Spawn(Run(stop, id))) under_way_.erase(id);
}

JobRestarter::Record JobRestarter::Find(const std::string& id) const {
  Record restart;
  options_.store->Read([&](const Tables& tables) { restart = Tables::Find(tables.restarts, id); });
  return restart != nullptr && restart->status == "running" ? restart : nullptr;
}

Co<void> JobRestarter::Run(Context stop, std::string id) {
  bool more = true;
  while (more && !stop.cancelled()) {
    const Record restart = Find(id);
    if (restart == nullptr) break;
    more = co_await Step(stop, restart);
  }
  under_way_.erase(id);
}

std::optional<std::string> JobRestarter::ReasonToStop(const JobRestart& restart) const {
  std::optional<std::string> reason;
  options_.store->Read([&](const Tables& tables) {
    const auto job = Tables::Find(tables.jobs, KeyOf(restart));
    if (job == nullptr || job->create_index != restart.job_create_index || job->stop) {
      reason = "the job was stopped";
      return;
    }
    const auto deployment = tables.DeploymentOf(*job);
    if (deployment != nullptr && deployment->active()) {
      reason = "Deployment \"" + deployment->id + "\" is \"" + deployment->status + "\"";
    }
  });
  return reason;
}

void JobRestarter::End(JobRestart restart, const char* status, std::string description) {
  restart.status = status;
  restart.status_description = std::move(description);
  restart.next_batch = 0;
  spdlog::info("job restart: {} of the job \"{}\" is {}: {}", restart.id, restart.job_id, status,
               restart.status_description);
  (void)options_.scheduler->PutRestart(std::move(restart));
}

Co<bool> JobRestarter::Step(Context stop, Record restart) {
  if (restart->next_batch != 0) {
    // A clock that was put back makes nobody wait longer than requested.
    const Duration left(restart->next_batch - options_.loop->Wall());
    const Context until = stop.WithTimeout(std::clamp(left, Duration(0), restart->batch_wait));
    // The pause may be days long. A restart that is canceled, or gone with its job, ends at once.
    constexpr TableMask kOfRestarts = MaskOf(Table::kRestarts);
    while (Find(restart->id) != nullptr) {
      std::uint64_t index = 0;
      options_.store->Read([&](const Tables& tables) { index = tables.IndexOf(kOfRestarts); });
      const Status newer = co_await options_.store->WaitNewer(until, kOfRestarts, index);
      if (!newer.ok()) break;
    }
    if (stop.cancelled()) co_return false;
    restart = Find(restart->id);
    if (restart == nullptr) co_return false;
  }
  JobRestart now = *restart;
  RestartBatch batch;
  options_.store->Read([&](const Tables& tables) { batch = NextBatch(now, tables); });
  if (const auto reason = ReasonToStop(now)) {
    End(std::move(now), "failed", *reason);
    co_return false;
  }
  now.begun = batch.end;
  now.next_batch = 0;
  if (!batch.allocs.empty() && now.begun != restart->begun) {
    (void)options_.scheduler->PutRestart(now);
  }
  std::vector<Outcome> outcomes;
  for (const std::string& id : batch.allocs) outcomes.push_back({id, Status()});
  std::vector<Co<void>> work;
  const auto begun = std::make_shared<const JobRestart>(now);
  work.reserve(outcomes.size());
  for (Outcome& outcome : outcomes) work.push_back(RestartOne(stop, begun, &outcome));
  co_await InParallel(options_.loop, std::move(work));
  if (stop.cancelled()) co_return false;  // the next agent restarts the batch again
  const Record after = Find(restart->id);
  if (after == nullptr) co_return false;  // canceled by a client, or gone with its job
  now = *after;
  now.done = batch.end;
  bool failed = false, no_room = false;
  for (const Outcome& outcome : outcomes) {
    if (outcome.status.ok()) continue;
    failed = true;
    no_room = no_room || outcome.status.code() == Code::kResourceExhausted;
    now.errors[outcome.alloc] = outcome.status.error().message();
  }
  const bool last = now.done >= now.allocs.size();
  if (failed && !now.ignore_errors) {
    End(std::move(now), "failed", "Stopping job restart due to error");
    co_return false;
  }
  // No other replacement would find room either, so the rest stays as it is.
  if (no_room) {
    End(std::move(now), "failed", "Stopping job restart due to unrecoverable error");
    co_return false;
  }
  if (last) {
    const std::size_t errors = now.errors.size();
    End(std::move(now), "complete",
        errors == 0 ? "Job restart finished"
                    : "Job restart finished with errors of " + CountText(errors));
    co_return false;
  }
  if (now.batch_wait > 0s && !batch.allocs.empty()) {
    now.next_batch = options_.loop->Wall() + now.batch_wait.count();
  }
  (void)options_.scheduler->PutRestart(std::move(now));
  co_return true;
}

Co<void> JobRestarter::RestartOne(Context stop, Record restart, Outcome* outcome) {
  outcome->status = restart->reschedule ? co_await Reschedule(stop, restart, outcome->alloc)
                                        : co_await InPlace(stop, restart, outcome->alloc);
}

Co<Result<AllocRunner*>> JobRestarter::FindRunner(Context stop, std::string alloc) {
  const TimePoint end = options_.loop->Now() + kRunnerPatience;
  for (;;) {
    AllocRunner* const runner = options_.find_runner(alloc);
    if (runner != nullptr) co_return runner;
    if (options_.loop->Now() >= end) {
      co_return Error(Code::kNotFound, "Unknown allocation \"" + alloc + "\"");
    }
    DROVER_CO_TRY(co_await Sleep(stop, kRunnerPause));
  }
}

Co<Status> JobRestarter::InPlace(Context stop, Record restart, std::string alloc) {
  std::vector<std::string> tasks;
  options_.store->Read([&](const Tables& tables) {
    const auto record = Tables::Find(tables.allocs, alloc);
    if (record != nullptr) tasks = TasksToRestart(*restart, *record->alloc);
  });
  DROVER_CO_ASSIGN(AllocRunner* const runner, co_await FindRunner(stop, alloc));
  if (restart->all_tasks) co_return co_await runner->RestartAll();
  if (tasks.empty()) co_return co_await runner->RestartRunning();
  std::vector<Status> results(tasks.size());
  std::vector<Co<void>> work;
  const auto one = [](AllocRunner* of, std::string task, Status* result) -> Co<void> {
    *result = co_await of->RestartTask(std::move(task));
  };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    work.push_back(one(runner, tasks[i], &results[i]));
  }
  co_await InParallel(options_.loop, std::move(work));
  std::string errors;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (results[i].ok()) continue;
    errors += (errors.empty() ? "" : "; ");
    errors += "Failed to restart task \"" + tasks[i] + "\": " + results[i].error().message();
  }
  if (errors.empty()) co_return Status();
  co_return Error(Code::kFailedPrecondition, errors);
}

Co<Status> JobRestarter::Reschedule(Context stop, Record restart, std::string alloc) {
  std::shared_ptr<const AllocRecord> record;
  options_.store->Read([&](const Tables& tables) { record = Tables::Find(tables.allocs, alloc); });
  if (record == nullptr) co_return Status();
  // An earlier agent may have stopped it already.
  if (record->next.empty()) {
    AllocStop how;
    how.no_shutdown_delay = restart->no_shutdown_delay;
    // A stopped allocation of a batch job has a replacement only if that is asked for.
    how.reschedule = record->alloc->job->type == JobType::kBatch;
    const Result<JobReply> stopped = options_.scheduler->StopAlloc(alloc, how);
    if (!stopped.ok()) co_return stopped.error();
  }
  ReplacementWait wait(options_.store, alloc);
  const auto gone = [this, id = restart->id] { return Find(id) == nullptr; };
  co_return co_await wait.Wait(stop, gone);
}

}  // namespace drover
