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

// All of its runs are ended side by side.
constexpr Duration kPatience = 20s;

Co<void> ReleaseRun(Context context, ProcessService* processes, RunId run, Status* first) {
  const Status released = co_await processes->Release(context, run);
  if (!released.ok() && first->ok()) *first = released.error().WithContext("run " + run.ToString());
}

Co<void> ReleaseOrLater(Context context, ProcessService* processes, RunId run, LateReleases* late) {
  const Status released = co_await processes->Release(context, run);
  if (released.ok()) co_return;
  spdlog::warn("run {} is still there, and tried again: {}", run.ToString(),
               released.error().message());
  late->Add(run);
}

// A shim that was killed leaves its socket, on which nobody listens.
bool ShimLives(int run_directory, const RunId& run) {
  int error_number = 0;
  return ShimConnection::Connect(run_directory, run.Short() + ".sock", &error_number).ok();
}

void TellStillThere(const Error& error) {
  spdlog::warn("what a run that was killed has left is still there: {}", error.message());
}

// ENDED becomes 1 when no run of LEFT is left.
Co<void> EndDeadNode(Context context, Loop* loop, ProcessService* processes, int run_directory,
                     Duration patience, const LedgerLeftovers* left, char* ended) {
  const TimePoint until = loop->Now() + patience;
  const auto lives = [run_directory](const RunId& run) { return ShimLives(run_directory, run); };
  while (loop->Now() < until && std::any_of(left->runs.begin(), left->runs.end(), lives)) {
    const Status slept = co_await Sleep(context, 50ms);
    if (!slept.ok()) co_return;
  }
  const Status cleared = co_await EndRunsOf(context, loop, processes, left);
  if (!cleared.ok()) TellStillThere(cleared.error());
  *ended = cleared.ok() ? 1 : 0;
}

// The kept ledgers of the dead nodes of ALLOC_BASE, each with the runs that KNOWN does not have.
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

Co<Status> EndRunsOf(Context context, Loop* loop, ProcessService* processes,
                     const LedgerLeftovers* leftovers) {
  Status first;
  const Context limited = context.WithTimeout(kPatience);
  std::vector<Co<void>> releases;
  for (const RunId& run : leftovers->runs) {
    releases.push_back(ReleaseRun(limited, processes, run, &first));
  }
  co_await InParallel(loop, std::move(releases));
  co_return first;
}

Co<Status> RemoveDirectoriesOf(DirectoryRemoval how, const LedgerLeftovers* leftovers) {
  Status first;
  DiskAllocDirOptions options;
  options.base = leftovers->alloc_base;
  options.pool = how.pool;
  options.give_up = how.give_up;
  for (const std::string& alloc : leftovers->allocs) {
    DiskAllocDir directory(options, alloc);
    const Status removed = co_await directory.Destroy();
    if (!removed.ok() && first.ok()) first = removed;
  }
  // Only when it is empty; what somebody else has put there is not ours to remove.
  if (leftovers->base_is_own) rmdir(leftovers->alloc_base.c_str());
  co_return first;
}

Co<std::vector<LedgerLeftovers>> EndDeadNodes(Context context, Loop* loop,
                                              ProcessService* processes, std::string run_dir,
                                              Duration patience) {
  std::vector<LedgerLeftovers> dead;
  const Result<UniqueFd> run_directory = OpenRunDirectory(run_dir);
  if (!run_directory.ok()) co_return dead;  // it was there a moment ago
  dead = RunLedger::FindDead(run_directory->get());
  std::erase_if(dead, [](const LedgerLeftovers& left) { return left.kept; });
  // The files of runs that may still go on stay.
  std::vector<char> ended(dead.size());
  std::vector<Co<void>> all;
  for (std::size_t i = 0; i < dead.size(); ++i) {
    all.push_back(
        EndDeadNode(context, loop, processes, run_directory->get(), patience, &dead[i], &ended[i]));
  }
  co_await InParallel(loop, std::move(all));
  std::size_t i = 0;
  std::erase_if(dead, [&](const LedgerLeftovers&) { return ended[i++] == 0; });
  co_return dead;
}

Co<void> RemoveDeadNodes(DirectoryRemoval how, std::string run_dir,
                         std::vector<LedgerLeftovers> dead) {
  const Result<UniqueFd> run_directory = OpenRunDirectory(run_dir);
  if (!run_directory.ok()) co_return;
  for (const LedgerLeftovers& left : dead) {
    if (how.given_up()) co_return;
    const Status removed = co_await RemoveDirectoriesOf(how, &left);
    if (removed.ok()) {
      RunLedger::Forget(run_directory->get(), left);
    } else {
      TellStillThere(removed.error());
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
      spdlog::warn(
          "run {} is of no task that this agent knows: {}", run.ToString(),
          !lives ? "it has ended" : (keep ? "it is kept, as unknown_tasks says" : "it is stopped"));
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
      spdlog::warn("what no record knows is still there: {}", first.error().message());
    }
  }
}

}  // namespace drover
