// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/worker_pool.h"
#include "host/node/run_ledger.h"
#include "host/process/process_service.h"

namespace drover {

// The time limit for the release of all runs of one ledger. These runs are released at the same
// time.
inline constexpr Duration kReleaseLimit = 20s;

// The pointers are not owned. Their objects must outlive all calls.
struct LeftoversOptions {
  Loop* loop = nullptr;
  ProcessService* processes = nullptr;
  std::string run_dir;
  WorkerPool* removers = nullptr;  // the pool that removes directories
  // See DiskAllocDirOptions::give_up. May be null.
  std::shared_ptr<const std::atomic<bool>> give_up;
};

// Clears away the leftovers of dead nodes in two steps. The first step ends processes. It has a
// time limit, since starts of tasks wait for this step. The second step removes directories and
// takes as long as the disk takes. Control thread only.
class Leftovers {
 public:
  explicit Leftovers(LeftoversOptions options) : options_(std::move(options)) {}

  // Runs the first step for every dead node that has a ledger in the run directory, except nodes
  // whose runs continue after the end of the node. Returns the leftovers of which only the
  // directories remain. If the step fails for a node, the failure is logged, and the ledger of
  // that node stays. PATIENCE is how long shims that are still alive may take to stop their tasks
  // gracefully.
  Co<std::vector<LedgerLeftovers>> EndDeadNodes(Context context, Duration patience);
  // Runs the second step for the result of EndDeadNodes. Once LeftoversOptions::give_up is true,
  // no further removal begins.
  Co<void> RemoveDeadNodes(std::vector<LedgerLeftovers> dead);

  // Kills the processes of LEFT and removes their exit records and cgroups. The error names the
  // first run that could not be released. All other runs are released nevertheless, as far as
  // possible. The call may be repeated.
  Co<Status> EndRuns(Context context, const LedgerLeftovers* left);
  // Removes the directories of LEFT. Call it after EndRuns has succeeded. The error names the
  // first directory that could not be removed. All other directories are removed nevertheless, as
  // far as possible.
  Co<Status> RemoveDirectories(const LedgerLeftovers* left);
  bool given_up() const { return options_.give_up && *options_.give_up; }

 private:
  Co<void> EndDeadNode(Context context, Duration patience, int run_directory, LedgerLeftovers* left,
                       std::vector<LedgerLeftovers>* ended);
  Co<void> Release(Context context, RunId run, Status* first);

  const LeftoversOptions options_;
};

// Whether the shim of RUN is alive. If the shim is dead, the run has no task any more.
bool ShimLives(int run_directory, const RunId& run);

}  // namespace drover
