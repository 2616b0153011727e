// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "host/agent/run_ledger.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/worker_pool.h"
#include "host/process/process_service.h"

namespace drover {

// For the release of all runs of a ledger, which end side by side.
inline constexpr Duration kReleaseLimit = 20s;

// Pointers are not owned and must outlive the calls.
struct LeftoversOptions {
  Loop* loop = nullptr;
  ProcessService* processes = nullptr;
  std::string run_dir;
  WorkerPool* removers = nullptr;                    // the pool that removes directories
  std::shared_ptr<const std::atomic<bool>> give_up;  // DiskAllocDirOptions::give_up; may be null
};

// Clears away the leftovers of dead nodes in two steps. The first ends processes; starts of tasks
// wait for it, and it is bounded. The second removes directories and takes as long as the disk
// takes. Control thread only.
class Leftovers {
 public:
  explicit Leftovers(LeftoversOptions options) : options_(std::move(options)) {}

  // The first step for every dead node with a ledger in the run directory, except nodes whose runs
  // go on without them. Returns the leftovers of which only the directories remain. Failures are
  // logged, and their ledgers stay. PATIENCE: how long shims that still live may take to stop their
  // tasks in order.
  Co<std::vector<LedgerLeftovers>> EndDeadNodes(Context context, Duration patience);
  // The second step, for the result of EndDeadNodes. After it is given up, it begins no other
  // removal.
  Co<void> RemoveDeadNodes(std::vector<LedgerLeftovers> dead);

  // Kills the processes of LEFT and removes their exit records and cgroups. An error names
  // something that is still there, while everything else is gone. The call may be repeated.
  Co<Status> EndRuns(Context context, const LedgerLeftovers* left);
  // Removes the directories of LEFT, after EndRuns has succeeded. Errors are as there.
  Co<Status> RemoveDirectories(const LedgerLeftovers* left);
  bool given_up() const { return options_.give_up && *options_.give_up; }

 private:
  Co<void> EndDeadNode(Context context, Duration patience, int run_directory, LedgerLeftovers* left,
                       std::vector<LedgerLeftovers>* ended);
  Co<void> Release(Context context, RunId run, Status* first);

  const LeftoversOptions options_;
};

// Whether the shim of RUN lives. A run without its shim has no task any more.
bool ShimLives(int run_directory, const RunId& run);

}  // namespace drover
