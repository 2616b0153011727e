// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/agent/late_releases.h"
#include "host/agent/run_ledger.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/worker_pool.h"
#include "host/process/process_service.h"

namespace drover {

// The leftovers of dead nodes are cleared away in two steps. The first ends processes; starts of
// tasks wait for it, and it is bounded. The second removes directories and takes as long as the
// disk takes. The pointers outlive the calls.

// The pool that removes directories, and the flag that gives the removal up.
struct DirectoryRemoval {
  WorkerPool* pool = nullptr;
  std::shared_ptr<const std::atomic<bool>> give_up;  // DiskAllocDirOptions::give_up

  bool given_up() const { return give_up && *give_up; }
};

// Kills the processes of LEFTOVERS and removes their exit records and cgroups. An error names
// something that is still there, while everything else is gone. The call may be repeated.
Co<Status> EndRunsOf(Context context, Loop* loop, ProcessService* processes,
                     const LedgerLeftovers* leftovers);

// Removes the directories of LEFTOVERS, after EndRunsOf has succeeded. Errors are as there.
Co<Status> RemoveDirectoriesOf(DirectoryRemoval how, const LedgerLeftovers* leftovers);

// The first step for every dead node with a ledger in RUN_DIR, except nodes whose runs go on
// without them. Returns the leftovers of which only the directories remain. Failures are logged,
// and their ledgers stay. PATIENCE: how long shims that still live may take to stop their tasks in
// order.
Co<std::vector<LedgerLeftovers>> EndDeadNodes(Context context, Loop* loop,
                                              ProcessService* processes, std::string run_dir,
                                              Duration patience);

// The second step, for the result of EndDeadNodes. After it is given up, it begins no other
// removal.
Co<void> RemoveDeadNodes(DirectoryRemoval how, std::string run_dir,
                         std::vector<LedgerLeftovers> dead);

// Takes over the runs in the kept ledgers of dead nodes of ALLOC_BASE that are not in KNOWN, the
// runs of this node. Logs each of them. With KEEP, living runs are written into OWN. All others are
// released, by LATE if that fails at first. Their directories stay.
Co<void> TakeOverLedgers(Context context, Loop* loop, ProcessService* processes,
                         std::string run_dir, std::string alloc_base, const std::set<RunId>* known,
                         bool keep, RunLedger* own, LateReleases* late);

// The runs that still run and that TakeOverLedgers would take over. Call it before that.
std::vector<RunId> FindUnknownRuns(const std::string& run_dir, const std::string& alloc_base,
                                   const std::set<RunId>& known);

// The members of RUNS whose shims live. A run without its shim has no task any more.
std::vector<RunId> RunsThatLive(const std::string& run_dir, const std::vector<RunId>& runs);

}  // namespace drover
