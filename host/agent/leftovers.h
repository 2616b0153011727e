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

// Leftovers of dead nodes are cleared away in two steps. The first ends their runs; its time is
// bounded, and starts wait for it. The second removes their directories, which takes as long as a
// disk takes. The pointers outlive the calls.

// Says where directories are removed, and when that is given up.
struct DirectoryRemoval {
  WorkerPool* pool = nullptr;
  std::shared_ptr<const std::atomic<bool>> give_up;  // DiskAllocDirOptions::give_up

  bool given_up() const { return give_up && *give_up; }
};

// Kills what still runs of a node that has died and removes its exit records and cgroups. An error
// names something that is still there, while the rest is gone; trying again is fine.
Co<Status> EndRunsOf(Context context, Loop* loop, ProcessService* processes,
                     const LedgerLeftovers* leftovers);

// Removes the directories of a node whose runs have ended. An error means the same as above.
Co<Status> RemoveDirectoriesOf(DirectoryRemoval how, const LedgerLeftovers* leftovers);

// Takes the first step for every dead node that has a ledger in RUN_DIR and whose runs do not go on
// without it. Returns the nodes of which only the directories are left. Failures are logged, and
// their ledgers stay. PATIENCE: how long shims that still live may take to stop their tasks in
// order.
Co<std::vector<LedgerLeftovers>> EndDeadNodes(Context context, Loop* loop,
                                              ProcessService* processes, std::string run_dir,
                                              Duration patience);

// Takes the second step for the nodes that EndDeadNodes has returned, until it is given up.
Co<void> RemoveDeadNodes(DirectoryRemoval how, std::string run_dir,
                         std::vector<LedgerLeftovers> dead);

// What the ledgers of the dead nodes of ALLOC_BASE name beside KNOWN, which this node knows of: it
// is reported, and killed, by LATE if that does not work at once, or, with KEEP and while it runs,
// written into OWN. Their directories stay.
Co<void> TakeOverLedgers(Context context, Loop* loop, ProcessService* processes,
                         std::string run_dir, std::string alloc_base, const std::set<RunId>* known,
                         bool keep, RunLedger* own, LateReleases* late);

// Those of them that still run, before they are taken over.
std::vector<RunId> FindUnknownRuns(const std::string& run_dir, const std::string& alloc_base,
                                   const std::set<RunId>& known);

// Those of RUNS that still run: a shim that is lost has no task any more.
std::vector<RunId> RunsThatLive(const std::string& run_dir, const std::vector<RunId>& runs);

}  // namespace drover
