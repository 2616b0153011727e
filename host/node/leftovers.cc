// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/leftovers.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "host/alloc/disk_alloc_dir.h"
#include "host/base/gate.h"
#include "host/process/run_directory.h"
#include "host/process/shim_connection.h"

namespace drover {
namespace {

void WarnStillThere(const Error& error) {
  spdlog::warn("the leftovers of a killed run cannot be removed: {}", error.message());
}

}  // namespace

// A killed shim leaves its socket file behind, but no process accepts connections on it.
bool ShimLives(int run_directory, const RunId& run) {
  int error_number = 0;
  return ShimConnection::Connect(run_directory, run, &error_number).ok();
}

Co<std::vector<LedgerLeftovers>> Leftovers::EndDeadNodes(Context context, Duration patience) {
  std::vector<LedgerLeftovers> ended;
  const Result<UniqueFd> run_directory = OpenRunDirectory(options_.run_dir);
  if (!run_directory.ok()) co_return ended;  // rare: the directory existed a moment ago
  std::vector<LedgerLeftovers> dead = RunLedger::FindDead(run_directory->get());
  std::vector<Co<void>> all;
  for (LedgerLeftovers& left : dead) {
    all.push_back(EndDeadNode(context, patience, run_directory->get(), &left, &ended));
  }
  co_await InParallel(options_.loop, std::move(all));
  co_return ended;
}

// Ends the runs of LEFT. Moves LEFT to ENDED if all runs have ended. Otherwise the files of LEFT
// stay, since one of its runs may continue.
Co<void> Leftovers::EndDeadNode(Context context, Duration patience, int run_directory,
                                LedgerLeftovers* left, std::vector<LedgerLeftovers>* ended) {
  const TimePoint until = options_.loop->Now() + patience;
  const auto lives = [run_directory](const RunId& run) { return ShimLives(run_directory, run); };
  while (options_.loop->Now() < until && std::any_of(left->runs.begin(), left->runs.end(), lives)) {
    const Status slept = co_await Sleep(context, 50ms);
    if (!slept.ok()) co_return;
  }
  const Status cleared = co_await EndRuns(context, left);
  if (cleared.ok()) {
    ended->push_back(std::move(*left));
  } else {
    WarnStillThere(cleared.error());
  }
}

Co<Status> Leftovers::EndRuns(Context context, const LedgerLeftovers* left) {
  Status first;
  const Context limited = context.WithTimeout(kReleaseLimit);
  std::vector<Co<void>> releases;
  for (const RunId& run : left->runs) releases.push_back(Release(limited, run, &first));
  co_await InParallel(options_.loop, std::move(releases));
  co_return first;
}

Co<void> Leftovers::Release(Context context, RunId run, Status* first) {
  const Status released = co_await options_.processes->Release(context, run);
  if (!released.ok() && first->ok()) *first = released.error().WithContext("run " + run.ToString());
}

Co<void> Leftovers::RemoveDeadNodes(std::vector<LedgerLeftovers> dead) {
  const Result<UniqueFd> run_directory = OpenRunDirectory(options_.run_dir);
  if (!run_directory.ok()) co_return;
  for (const LedgerLeftovers& left : dead) {
    if (given_up()) co_return;
    const Status removed = co_await RemoveDirectories(&left);
    if (removed.ok()) {
      RunLedger::Forget(run_directory->get(), left);
    } else {
      WarnStillThere(removed.error());
    }
  }
}

Co<Status> Leftovers::RemoveDirectories(const LedgerLeftovers* left) {
  Status first;
  DiskAllocDirOptions options;
  options.base = left->alloc_base;
  options.pool = options_.removers;
  options.give_up = options_.give_up;
  for (const std::string& alloc : left->allocs) {
    DiskAllocDir directory(options, alloc);
    const Status removed = co_await directory.Destroy();
    if (!removed.ok() && first.ok()) first = removed;
  }
  // rmdir fails if the directory is not empty. Files that somebody else has put there must stay.
  if (left->base_is_own) rmdir(left->alloc_base.c_str());
  co_return first;
}

}  // namespace drover
