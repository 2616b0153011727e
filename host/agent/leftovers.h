// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "host/agent/late_releases.h"
#include "host/agent/run_ledger.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/worker_pool.h"
#include "host/process/process_service.h"

namespace drover {

// Clears away LEFTOVERS of a dead node: kills its processes and removes its exit records, cgroups
// and directories. The wait for processes is bounded. An error names something that is still there;
// while that is a run, all directories stay. The call may be repeated. The pointers outlive it.
Co<Status> ClearLeftoversOf(Context context, Loop* loop, ProcessService* processes,
                            WorkerPool* pool, const LedgerLeftovers* leftovers);

// Does the same for every dead node with a ledger in RUN_DIR, except nodes whose runs go on without
// them. A failure is logged, and the ledger stays. PATIENCE: how long shims that still live may
// take to stop their tasks in order.
Co<void> ClearDeadNodes(Context context, Loop* loop, ProcessService* processes, WorkerPool* pool,
                        std::string run_dir, Duration patience);

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
