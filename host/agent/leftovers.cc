// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/leftovers.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "host/alloc/disk_alloc_dir.h"
#include "host/base/gate.h"
#include "host/process/run_directory.h"
#include "host/process/shim_connection.h"

namespace drover {
namespace {

// For all runs of a ledger, which end side by side.
constexpr Duration kPatience = 20s;

Co<void> ReleaseRun(Context context, ProcessService* processes, RunId run, Status* first) {
  const Status released = co_await processes->Release(context, run);
  if (!released.ok() && first->ok()) *first = released.error().WithContext("run " + run.ToString());
}

Co<void> ReleaseOrLater(Context context, ProcessService* processes, RunId run, LateReleases* late) {
  const Status released = co_await processes->Release(context, run);
  if (released.ok()) co_return;
  spdlog::warn("run {} cannot be released and is tried again: {}", run.ToString(),
               released.error().message());
  late->Add(run);
}

// A killed shim leaves its socket behind, but nobody listens on it.
bool ShimLives(int run_directory, const RunId& run) {
  int error_number = 0;
  return ShimConnection::Connect(run_directory, run.Short() + ".sock", &error_number).ok();
}

// The kept ledgers of the dead nodes of ALLOC_BASE, each only with the runs that are not in KNOWN.
std::vector<LedgerLeftovers> FindUnknown(int run_directory, const std::string& alloc_base,
                                         const std::set<RunId>& known) {
  std::vector<LedgerLeftovers> found = RunLedger::FindDead(run_directory);
  std::erase_if(found, [&](const LedgerLeftovers& left) {
    return !left.kept || left.alloc_base != alloc_base;
  });
  for (LedgerLeftovers& left : found)
    std::erase_if(left.runs, [&](const RunId& run) { return known.count(run) > 0; });
  return found;
}

}  // namespace

Co<Status> ClearLeftoversOf(Context context, Loop* loop, ProcessService* processes,
                            WorkerPool* pool, const LedgerLeftovers* leftovers) {
  Status first;
  const Context limited = context.WithTimeout(kPatience);
  std::vector<Co<void>> releases;
  for (const RunId& run : leftovers->runs) {
    releases.push_back(ReleaseRun(limited, processes, run, &first));
  }
  co_await InParallel(loop, std::move(releases));
  if (!first.ok()) co_return first;  // a run may still use the files
  DiskAllocDirOptions options;
  options.base = leftovers->alloc_base;
  options.pool = pool;
  for (const std::string& alloc : leftovers->allocs) {
    DiskAllocDir directory(options, alloc);
    const Status removed = co_await directory.Destroy();
    if (!removed.ok() && first.ok()) first = removed;
  }
  // Only if it is empty: files that somebody else has put there are not ours to remove.
  if (leftovers->base_is_own) rmdir(leftovers->alloc_base.c_str());
  co_return first;
}

Co<void> ClearDeadNodes(Context context, Loop* loop, ProcessService* processes, WorkerPool* pool,
                        std::string run_dir, Duration patience) {
  const Result<UniqueFd> run_directory = OpenRunDirectory(run_dir);
  if (!run_directory.ok()) co_return;  // it was there a moment ago
  const int directory = run_directory->get();
  const TimePoint until = loop->Now() + patience;
  for (const LedgerLeftovers& left : RunLedger::FindDead(directory)) {
    if (left.kept) continue;
    const auto lives = [directory](const RunId& run) { return ShimLives(directory, run); };
    while (loop->Now() < until && std::any_of(left.runs.begin(), left.runs.end(), lives)) {
      const Status slept = co_await Sleep(context, 50ms);
      if (!slept.ok()) co_return;
    }
    const Status cleared = co_await ClearLeftoversOf(context, loop, processes, pool, &left);
    if (cleared.ok()) {
      RunLedger::Forget(directory, left);
    } else {
      spdlog::warn("the leftovers of a killed run cannot be removed: {}",
                   cleared.error().message());
    }
  }
}

std::vector<RunId> RunsThatLive(const std::string& run_dir, const std::vector<RunId>& runs) {
  std::vector<RunId> live;
  const Result<UniqueFd> directory = OpenRunDirectory(run_dir);
  if (!directory.ok()) return live;
  for (const RunId& run : runs) {
    if (ShimLives(directory->get(), run)) live.push_back(run);
  }
  return live;
}

std::vector<RunId> FindUnknownRuns(const std::string& run_dir, const std::string& alloc_base,
                                   const std::set<RunId>& known) {
  std::vector<RunId> unknown;
  const Result<UniqueFd> directory = OpenRunDirectory(run_dir);
  if (!directory.ok()) return unknown;
  for (const LedgerLeftovers& left : FindUnknown(directory->get(), alloc_base, known)) {
    for (const RunId& run : left.runs) {
      if (ShimLives(directory->get(), run)) unknown.push_back(run);
    }
  }
  return unknown;
}

Co<void> TakeOverLedgers(Context context, Loop* loop, ProcessService* processes,
                         std::string run_dir, std::string alloc_base, const std::set<RunId>* known,
                         bool keep, RunLedger* own, LateReleases* late) {
  const Result<UniqueFd> run_directory = OpenRunDirectory(run_dir);
  if (!run_directory.ok()) co_return;
  const Context limited = context.WithTimeout(kPatience);
  for (const LedgerLeftovers& left : FindUnknown(run_directory->get(), alloc_base, *known)) {
    Status first;
    std::vector<Co<void>> releases;
    for (const RunId& run : left.runs) {
      const bool lives = ShimLives(run_directory->get(), run);
      spdlog::warn("run {} belongs to no task that this agent knows: {}", run.ToString(),
                   !lives ? "it has ended" : (keep ? "unknown_tasks keeps it" : "it is stopped"));
      if (!keep || !lives) {
        releases.push_back(ReleaseOrLater(limited, processes, run, late));
        continue;
      }
      const Status added = own->AddRun(run);
      if (!added.ok() && first.ok()) first = added;
    }
    co_await InParallel(loop, std::move(releases));
    if (first.ok()) {
      RunLedger::Forget(run_directory->get(), left);
    } else {
      spdlog::warn("an unknown run stays in its old ledger: {}", first.error().message());
    }
  }
}

}  // namespace drover
